"""Archives from elsewhere are judged before anything is unpacked, and none crashes `inspect`."""

from __future__ import annotations

import hashlib
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from foreign import description, misbehaving_fmu, write_fmu
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutants import ARCHIVE, FMI2, FMI3, XML_WORDS, edited, only_our_errors

from cranebridge.errors import CranebridgeError
from cranebridge.plant.description.archive import ArchiveError, ArchiveLimits, check_archive
from cranebridge.plant.description.fmu import inspect
from cranebridge.plant.description.plant_info import DescriptionError
from cranebridge.plant.plant import Plant
from cranebridge.plant.protocol.controls import Controls

Change = Callable[[zipfile.ZipFile], None]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Directory of temporary files, to see that nothing is unpacked."""
    directory = tmp_path / "unpacked"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


def refused(path: Path, words: str, workspace: Path) -> None:
    before = path.read_bytes()
    for use in (inspect, Plant):
        with pytest.raises(CranebridgeError, match=words):
            use(path)
    assert list(workspace.iterdir()) == []
    assert path.read_bytes() == before


def archive(path: Path, change: Change) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("modelDescription.xml", description())
        file.writestr("binaries/linux64/foreign.so", b"no binary")
        change(file)
    return path


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../evil", "leads out"),
        ("resources/../../evil", "leads out"),
        ("..", "leads out"),
        ("/etc/cron.d/evil", "absolute"),
        ("C:/evil.dll", "absolute"),
        ("c:evil.dll", "absolute"),
        ("resources\\..\\evil", "backslash"),
        ("\\\\server\\share", "backslash"),
        ("resources//evil", "malformed"),
        ("resources/./evil", "malformed"),
        (".//evil", "malformed"),
        ("./../evil", "leads out"),
        ("./modelDescription.xml", "occurs twice"),
        ("resources/a\nb", "malformed"),
        ("resources/" + 300 * "a", "too long"),
        (400 * "abc/" + "d", "too long"),
        ("ModelDescription.xml", "occurs twice"),
        ("modelDescription.xml/evil", "below a file"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(name, words, tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda file: file.writestr(name, b"x"))
    refused(path, words, workspace)


def test_name_with_a_hidden_end_is_refused(tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda file: file.writestr("resources/abXcd", b"x"))
    path.write_bytes(path.read_bytes().replace(b"abXcd", b"ab\0cd"))
    refused(path, "malformed", workspace)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind, tmp_path, workspace):
    def change(file: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("resources/link")
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        file.writestr(info, "/etc/passwd")

    words = "symbolic link" if kind == stat.S_IFLNK else "neither a file nor a directory"
    refused(archive(tmp_path / "a.fmu", change), words, workspace)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["modelDescription.xml", "binaries/linux64/foreign.so"])
def test_a_name_that_occurs_twice_with_other_contents_is_refused(name, tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda f: f.writestr(name, "<other/>"))
    refused(path, "occurs twice, with different contents", workspace)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_contents_are_compared_and_not_their_checksums(tmp_path, workspace):
    """Two texts of one length with the same CRC-32, the checksum of archives."""
    one, other = b"plumless", b"buckeroo"
    assert zlib.crc32(one) == zlib.crc32(other)

    def change(file: zipfile.ZipFile) -> None:
        file.writestr("resources/data", one)
        file.writestr("resources/data", other)

    refused(archive(tmp_path / "a.fmu", change), "occurs twice, with different", workspace)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("prefix", ["", "./"])
def test_a_file_that_occurs_twice_with_the_same_contents_is_accepted(prefix, tmp_path):
    """The plant with all its files twice is simulated: x(1) = 1/2."""
    fmu, path = misbehaving_fmu(tmp_path, "GOOD"), tmp_path / "twice.fmu"
    with zipfile.ZipFile(fmu) as once, zipfile.ZipFile(path, "w") as twice:
        for name in once.namelist():
            twice.writestr(name, once.read(name))
            twice.writestr(prefix + name, once.read(name))
    found = check_archive(path)
    assert sorted(found.names) == sorted(check_archive(fmu).names)
    ramp = Controls.linear([0.0, 1.0], [[0.0], [1.0]], ["u"])
    with Plant(path) as plant:
        result = plant.simulate(times=[0.0, 1.0], inputs=ramp)
    assert result.outputs[-1, 0] == pytest.approx(0.5, abs=1e-12)


def test_bomb_of_one_to_ten_thousand_is_refused_by_what_it_declares(tmp_path, workspace):
    def change(file: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("resources/bomb")
        file.writestr(info, bytes(2**20), compress_type=zipfile.ZIP_STORED)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.file_size = 10 * 2**30

    path = archive(tmp_path / "a.fmu", change)
    assert path.stat().st_size < 2**21
    refused(path, "unpacks to 10737418240 bytes", workspace)


def test_bomb_within_the_sizes_is_refused_by_its_ratio(tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda file: file.writestr("bomb", bytes(2**26)))
    assert path.stat().st_size < 2**17
    refused(path, "more than 200 times", workspace)


def test_bomb_of_many_small_parts_is_refused_by_the_ratio_of_all(tmp_path, workspace):
    def change(file: zipfile.ZipFile) -> None:
        for number in range(100):
            file.writestr(f"resources/{number}", bytes(2**19))

    refused(archive(tmp_path / "a.fmu", change), "it unpacks from", workspace)


def test_bomb_of_entries_that_share_their_data_is_refused(tmp_path, workspace):
    def change(file: zipfile.ZipFile) -> None:
        file.writestr("resources/0", bytes(range(256)) * 64)
        for number in range(1, 50):
            copy = zipfile.ZipInfo(f"resources/{number}")
            for key in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(copy, key, getattr(file.getinfo("resources/0"), key))
            file.filelist.append(copy)

    refused(archive(tmp_path / "a.fmu", change), "overlaps", workspace)


def test_content_longer_than_declared_is_not_read(tmp_path, workspace):
    def change(file: zipfile.ZipFile) -> None:
        file.getinfo("modelDescription.xml").file_size = 100

    refused(archive(tmp_path / "a.fmu", change), "damaged|well-formed|local", workspace)


def test_number_and_sizes_are_limited(tmp_path):
    path = archive(tmp_path / "a.fmu", lambda file: file.writestr("resources/a", b"12345"))
    for limits, words in (
        (ArchiveLimits(entries=2), "3 entries"),
        (ArchiveLimits(entry=100), "unpacks to"),
        (ArchiveLimits(total=500), "it unpacks to"),
        (ArchiveLimits(archive=100), "bytes"),
        (ArchiveLimits(description=100), "modelDescription.xml has"),
        (ArchiveLimits(directory=100), "its directory has more than 100 bytes"),
    ):
        with pytest.raises(ArchiveError, match=words):
            check_archive(path, limits=limits)


def test_encrypted_and_exotic_compression_is_refused(tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda f: f.writestr("a", b"x", zipfile.ZIP_LZMA))
    refused(path, "neither stored nor deflated", workspace)

    def encrypt(file: zipfile.ZipFile) -> None:
        file.getinfo("modelDescription.xml").flag_bits |= 1

    refused(archive(tmp_path / "b.fmu", encrypt), "encrypted", workspace)


def test_what_is_no_archive_is_refused(tmp_path, workspace):
    (tmp_path / "text.fmu").write_text("not a zip file")
    refused(tmp_path / "text.fmu", "not a zip archive", workspace)
    with pytest.raises(ArchiveError, match="cannot be read"):
        inspect(tmp_path / "missing.fmu")
    with pytest.raises(ArchiveError, match=r"cannot be read|regular"):
        inspect(tmp_path)
    with pytest.raises(ArchiveError, match="not a regular file"):
        inspect("/dev/null")


def test_allow_list_names_the_hash_of_what_it_refuses(tmp_path):
    path = write_fmu(tmp_path / "a.fmu", description())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert inspect(path, allow=[digest.upper()]).sha256 == digest
    with pytest.raises(ArchiveError, match=digest):
        inspect(path, allow=["0" * 64])
    with pytest.raises(ArchiveError, match=digest):
        Plant(path, allow=[])


def test_an_archive_that_changes_after_it_was_checked_is_not_unpacked(tmp_path, workspace):
    path = archive(tmp_path / "a.fmu", lambda file: file.writestr("resources/a", b"1"))
    checked = check_archive(path)
    archive(path, lambda file: file.writestr("resources/a", b"2"))
    with pytest.raises(ArchiveError, match="changed while it was read"):
        checked.unpack(workspace, lambda _name: True)
    with pytest.raises(ArchiveError, match="changed while it was read"):
        Plant(checked)
    assert list(workspace.iterdir()) == []


# ---------------------------------------------------------------------------- model description


LAUGHS = "<!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
EXTERNAL = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("xml", "words"),
    [
        ("", "not well-formed"),
        ("<fmiModelDescription", "not well-formed"),
        (description() + "<more/>", "not well-formed"),
        ("<html/>", "root element"),
        (description(head=LAUGHS, Foreign="&b;"), "entities are refused"),
        (description(head=EXTERNAL, Foreign="&a;"), "entities are refused"),
        (description(head='<!DOCTYPE l SYSTEM "http://localhost:1/x.dtd">'), "are refused"),
        (b"\xff\xfe\x00\x01", "not well-formed"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", "not well-formed"),
        (description(**{'fmiVersion="2.0"': 'fmiVersion="1.0"'}), "'1.0' is not supported"),
        (description(**{'fmiVersion="2.0"': 'fmiVersion="4.0"'}), "'4.0' is not supported"),
        (description(**{'fmiVersion="2.0"': ""}), "'' is not supported"),
        (description(**{'modelIdentifier="foreign"': 'modelIdentifier="../x"'}), "C identifier"),
        (description(**{'valueReference="2"': 'valueReference="-2"'}), "valueReference"),
        (description(**{'valueReference="2"': 'valueReference="9e9"'}), "valueReference"),
        (description(**{'derivative="1"': 'derivative="99"'}), "no derivative of a state"),
        (description(**{'index="2"': 'index="77"'}), "unknown index"),
        (description(**{'start="1"': 'start="one"'}), "no number"),
        (description(**{'name="y"': 'name="x"'}), "same name"),
        (description(**{"<Real/>": ""}), "has no type"),
        (description(**{'numberOfEventIndicators="0"': 'numberOfEventIndicators="-1"'}), "wrong"),
        (description(ModelExchange="A", CoSimulation="B"), "neither Model Exchange nor"),
    ],
)
def test_malformed_descriptions_are_refused(xml, words, tmp_path, workspace):
    refused(write_fmu(tmp_path / "a.fmu", xml, b"x"), words, workspace)


def test_deep_nesting_does_not_exhaust_the_stack(tmp_path):
    deep = description(**{"<ModelStructure>": 100_000 * "<a>" + 100_000 * "</a>" + "<M>"})
    with pytest.raises(DescriptionError):
        inspect(write_fmu(tmp_path / "a.fmu", deep.replace("</ModelStructure>", "")))


def test_missing_description_is_refused(tmp_path, workspace):
    path = tmp_path / "a.fmu"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("binaries/linux64/foreign.so", b"x")
    refused(path, "no modelDescription.xml", workspace)


def test_missing_binary_is_refused_with_what_there_is(tmp_path):
    path = write_fmu(tmp_path / "a.fmu", description(), **{"binaries/win64/foreign.dll": b"MZ"})
    assert inspect(path).has_me
    with pytest.raises(ArchiveError, match=r"no binary for x86_64-linux.*it has win64"):
        Plant(path)


def test_description_is_read_with_units_states_and_dependencies(exported):
    for fmi in (2, 3):
        info = inspect(exported("pendulum", fmi).path)
        assert info.fmi_version == f"{fmi}.0"
        assert info.states == ("phi", "omega")
        assert info.derivatives == ("der(phi)", "der(omega)")
        assert [(s.name, s.unit, s.start) for s in info.inputs] == [("tau", "N.m", 0.0)]
        assert info.output_names == ("phi", "position[1]", "energy", "alpha")
        assert [s.unit for s in info.outputs] == ["rad", "m", "J", "rad/s2"]
        assert {s.name: s.start for s in info.parameters}["length"] == 1.5
        assert (info.has_me, info.has_cs, info.can_get_derivatives) == (True, True, True)
        assert info.max_input_derivative_order == (1 if fmi == 2 else 0)
        assert info.output_dependencies["alpha"] == ("tau",)
        assert info.output_dependencies["energy"] == ()
        assert info.initial_dependencies["phi"] == ("phi0",)
        assert "cranebridge" in info.generation_tool


# ---------------------------------------------------------------------------- mutations


CONTENT = st.one_of(st.binary(max_size=8), st.sampled_from(XML_WORDS))
EDITS = st.lists(
    st.tuples(st.integers(0, 2**16), st.integers(0, 12), CONTENT),
    min_size=1,
    max_size=6,
)
quick = settings(
    max_examples=400,  # and some thousand more in test_plant_distrust.py
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@quick
@given(EDITS)
def test_mutated_archives_crash_nothing(tmp_path, edits):
    path = tmp_path / "a.fmu"
    path.write_bytes(edited(ARCHIVE, edits))
    only_our_errors(path)


@quick
@given(EDITS, st.booleans())
def test_mutated_descriptions_crash_nothing(tmp_path, edits, as_fmi3):
    xml = FMI3 if as_fmi3 else FMI2
    only_our_errors(write_fmu(tmp_path / "a.fmu", edited(xml, edits)))


ATTRIBUTES = ("name", "valueReference", "causality", "start", "unit", "derivative", "dependencies")
TAGS = ("Float64", "Int32", "Boolean", "String", "Enumeration", "Clock", "Alias", "Other")
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=10),
    st.integers(-5, 2**40).map(str),
    st.sampled_from(["input", "output", "parameter", "NaN", "1 2 3", "", "٣", "1_0", "0x1"]),
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TAGS), st.dictionaries(st.sampled_from(ATTRIBUTES), VALUES), VALUES
        ),
        max_size=6,
    )
)
def test_random_fmi3_descriptions_crash_nothing(tmp_path, variables):
    from xml.etree.ElementTree import Element, SubElement, tostring

    root = Element("fmiModelDescription", fmiVersion="3.0", modelName="m")
    SubElement(root, "ModelExchange", modelIdentifier="m")
    group, structure = SubElement(root, "ModelVariables"), SubElement(root, "ModelStructure")
    for tag, attributes, value in variables:
        variable = SubElement(group, tag, attributes)
        SubElement(variable, "Dimension", start=value)
        SubElement(structure, "Output", {"valueReference": value, "dependencies": value})
        SubElement(structure, "ContinuousStateDerivative", {"valueReference": value})
    only_our_errors(write_fmu(tmp_path / "a.fmu", tostring(root, "utf-8")))
