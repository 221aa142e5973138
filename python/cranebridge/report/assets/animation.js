// The animation: draws the bodies of the scene between its points. It knows no crane.
"use strict";
(() => {
  const page = window.cranebridge, view = document.getElementById("view");
  page.positions = () => ({});
  if (!view || view.hidden) return;

  const UP = new THREE.Vector3(0, 0, 1), Y = new THREE.Vector3(0, 1, 0);
  const scene = new THREE.Scene();
  const camera = new THREE.PerspectiveCamera(32, 1, 0.1, 1000);
  camera.up.copy(UP);
  // Of the motion that is shown: description, times, ways of points, what is drawn, what moves.
  let described = null, frames, points = new Map(), size = 1, content = new THREE.Object3D();
  let anchors = new Map(), updates = [], outline = [];

  // Without WebGL the same scene is drawn as SVG: slower, but nothing is missing.
  const webgl = (() => {
    try {
      const probe = document.createElement("canvas").getContext("webgl2");
      if (probe) probe.getExtension("WEBGL_lose_context")?.loseContext();
      return Boolean(probe);
    } catch { return false; }
  })();
  let renderer;
  if (webgl) {
    renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: false });
    renderer.setPixelRatio(Math.min(devicePixelRatio || 1, 2));
    renderer.setClearColor(0, 0);
  } else {
    renderer = new THREE.SVGRenderer();
    renderer.setQuality("low");
  }
  view.prepend(renderer.domElement);

  const sky = new THREE.HemisphereLight(0xffffff, 0x8090a0, 2.2);
  sky.position.copy(UP);
  const sun = new THREE.DirectionalLight(0xffffff, 1.6);
  sun.position.set(-1, -2, 3);
  scene.add(sky, sun);

  const materials = {};
  const material = (role) => {
    materials[role] ??= new THREE.MeshLambertMaterial({
      side: THREE.DoubleSide, color: page.colour(`--${role}`),
      // what passes behind an obstacle stays visible
      ...(role === "obstacle" ? { transparent: true, opacity: 0.55, depthWrite: false } : {}),
    });
    return materials[role];
  };
  const lineMaterials = {};
  const lineMaterial = (role) =>
    (lineMaterials[role] ??= new THREE.LineBasicMaterial({ color: page.colour(`--${role}`) }));
  const paint = () => {
    for (const set of [materials, lineMaterials]) {
      for (const [role, entry] of Object.entries(set)) {
        entry.color.set(page.colour(`--${role}`));
      }
    }
  };

  // Each point is an object of the scene; bodies hang on it or reach between two of them.
  const place = (name) => anchors.get(name).position;

  const direction = new THREE.Vector3();
  const rod = (body, radius, role, sides = webgl ? 14 : 5, open = true) => {
    const mesh = new THREE.Mesh(
      new THREE.CylinderGeometry(radius, radius, 1, sides, 1, open), material(role));
    content.add(mesh);
    updates.push(() => {
      direction.subVectors(place(body.end), place(body.begin));
      const length = direction.length();
      mesh.visible = length > 1e-9 * size;
      if (!mesh.visible) return;
      mesh.scale.set(1, length, 1);
      mesh.quaternion.setFromUnitVectors(Y, direction.divideScalar(length));
      mesh.position.addVectors(place(body.begin), place(body.end)).multiplyScalar(0.5);
    });
    return mesh;
  };
  const at = (body, geometry) => {
    const mesh = new THREE.Mesh(geometry, material(body.role));
    anchors.get(body.at).add(mesh);
    return mesh;
  };
  const makers = {
    beam: (body) => rod(body, body.radius, body.role),
    pillar: (body) => rod(body, body.radius, body.role, webgl ? 40 : 12, false),
    rope: (body) => {
      const mesh = rod(body, 0.0028 * size, "rope");
      const force = body.force && described.forces[body.force];
      if (!force) return;
      const values = page.decode(force);
      // A rope that would have to push is red: a real one would be slack.
      updates.push((i) => {
        mesh.material = material(values[i] < -described.slack[body.force] ? "bad" : "rope");
      });
    },
    box: (body) => {
      const mesh = at(body, new THREE.BoxGeometry(...body.size));
      updates.push(() => {
        direction.subVectors(place(body.toward), place(body.at));
        if (Math.hypot(direction.x, direction.y) > 1e-9 * size) {
          mesh.rotation.z = Math.atan2(direction.y, direction.x);
        }
      });
    },
    sphere: (body) => at(body, new THREE.SphereGeometry(body.radius, webgl ? 28 : 8, webgl ? 20 : 6)),
    wheel: (body) => {
      const sides = webgl ? 28 : 10;
      const mesh = at(body, new THREE.CylinderGeometry(body.radius, body.radius, 0.6 * body.radius, sides));
      updates.push(() => {
        direction.subVectors(place(body.toward), place(body.at)).cross(UP);
        const length = direction.length();
        if (length > 1e-6 * size) mesh.quaternion.setFromUnitVectors(Y, direction.divideScalar(length));
      });
    },
    plate: (body) => {
      const geometry = new THREE.BufferGeometry();
      const corners = new THREE.BufferAttribute(new Float32Array(3 * body.corners.length), 3);
      geometry.setAttribute("position", corners);
      const order = [];
      for (let i = 1; i + 1 < body.corners.length; i++) order.push(0, i, i + 1);
      geometry.setIndex(order);
      const mesh = new THREE.Mesh(geometry, material(body.role));
      mesh.frustumCulled = false;
      content.add(mesh);
      updates.push(() => {
        body.corners.forEach((name, i) => corners.setXYZ(i, ...place(name).toArray()));
        corners.needsUpdate = true;
        geometry.computeVertexNormals();
      });
    },
  };

  // Ground: a grid whose cells are 1, 2 or 5 times a power of ten.
  const ground = () => {
    const raw = size / 12, power = 10 ** Math.floor(Math.log10(raw));
    const cell = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
    const half = Math.ceil(0.75 * size / cell);
    const middle = described.centre.map((value) => Math.round(value / cell) * cell);
    const edges = [], reach = half * cell, z = described.ground;
    for (let i = -half; i <= half; i++) {
      edges.push(middle[0] + i * cell, middle[1] - reach, z, middle[0] + i * cell, middle[1] + reach, z);
      edges.push(middle[0] - reach, middle[1] + i * cell, z, middle[0] + reach, middle[1] + i * cell, z);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(edges), 3));
    content.add(new THREE.LineSegments(geometry, lineMaterial("floor")));
    const label = document.getElementById("grid-size");
    if (label) label.textContent = `grid ${Number(cell.toPrecision(3))} m`;
  };

  // A line through samples: points that stand still are left out, for a tube needs a direction.
  class Track extends THREE.Curve {
    constructor(values) {
      super();
      const all = [];
      let length = 0;
      for (let i = 0; i < values.length; i += 3) all.push(new THREE.Vector3(values[i], values[i + 1], values[i + 2]));
      for (let i = 1; i < all.length; i++) length += all[i].distanceTo(all[i - 1]);
      this.kept = all.length ? [all[0]] : [];
      this.samples = [0];
      const gap = Math.max(length / (webgl ? 500 : 120), 1e-6 * size);
      all.forEach((point, i) => {
        if (point.distanceTo(this.kept[this.kept.length - 1]) < gap) return;
        this.kept.push(point);
        this.samples.push(i);
      });
    }
    getPoint(u, target = new THREE.Vector3()) {
      const x = u * (this.kept.length - 1), i = Math.min(Math.floor(x), this.kept.length - 2);
      return target.lerpVectors(this.kept[i], this.kept[i + 1], x - i);
    }
    getPointAt(u, target) { return this.getPoint(u, target); }
    getTangentAt(u, target = new THREE.Vector3()) {
      const i = Math.round(u * (this.kept.length - 1));
      const before = this.kept[Math.max(i - 1, 0)];
      const after = this.kept[Math.min(i + 1, this.kept.length - 1)];
      target.subVectors(after, before);
      // a path that turns back on the spot has no tangent there
      if (target.lengthSq() === 0) target.subVectors(this.kept[Math.min(i, this.kept.length - 2) + 1], this.kept[Math.min(i, this.kept.length - 2)]);
      return target.normalize();
    }
  }
  const SIDES = 6;
  const trail = (values, role, radius) => {
    const track = new Track(values);
    if (track.kept.length < 2) return null;
    if (!webgl) {
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(track.kept), lineMaterial(role));
      content.add(line);
      return { track, reveal: (n) => {
        line.visible = n > 0;
        if (n > 0) line.geometry = new THREE.BufferGeometry().setFromPoints(track.kept.slice(0, n + 1));
      } };
    }
    const geometry = new THREE.TubeGeometry(track, track.kept.length - 1, radius, SIDES);
    const mesh = new THREE.Mesh(geometry, material(role));
    content.add(mesh);
    return { track, reveal: (n) => geometry.setDrawRange(0, n * SIDES * 6) };
  };
  const trails = (ways) => {
    if (described.wanted) trail(page.decode(described.wanted), "wanted", 0.0022 * size);
    ways.forEach((values, i) => trail(values, `c${i + 3}`, 0.0012 * size));
    const trace = described.achieved && trail(page.decode(described.achieved), "achieved", 0.0036 * size);
    if (!trace) return;
    updates.push((i) => {
      let n = 0;
      while (n < trace.track.samples.length && trace.track.samples[n] <= i) n++;
      trace.reveal(Math.max(n - 1, 0));
    });
  };

  // All that is drawn, for the motion that the page has now.
  const load = () => {
    scene.remove(content);
    content.traverse((part) => part.geometry?.dispose());
    described = page.data.scene;
    content = new THREE.Object3D();
    points = new Map();
    anchors = new Map();
    updates = [];
    outline = [];
    if (!described) return;
    frames = page.decode(described.time);
    for (const [name, values] of Object.entries(described.points)) {
      points.set(name, page.decode(values));
      anchors.set(name, new THREE.Object3D());
      content.add(anchors.get(name));
    }
    size = described.size;
    camera.near = size / 100;
    camera.far = size * 40;
    camera.updateProjectionMatrix();
    for (const body of described.bodies) makers[body.kind](body);
    ground();
    const ways = described.ways.map(([, values]) => page.decode(values));
    trails(ways);
    // where the crane is at some sixty times
    for (const values of [...points.values(), ...ways]) {
      const stride = 3 * Math.max(1, Math.floor(values.length / 180));
      for (let i = 0; i + 2 < values.length; i += stride) {
        outline.push(new THREE.Vector3(values[i], values[i + 1], values[i + 2]));
      }
    }
    controls.minDistance = size / 10;
    controls.maxDistance = size * 8;
    scene.add(content);
  };

  const set = (t) => {
    if (!described) return;
    const [i, part] = page.locate(frames, t);
    for (const [name, values] of points) {
      const a = values.length > 3 ? 3 * i : 0, b = values.length > 3 ? 3 * i + 3 : 0;
      anchors.get(name).position.set(
        values[a] + part * (values[b] - values[a]),
        values[a + 1] + part * (values[b + 1] - values[a + 1]),
        values[a + 2] + part * (values[b + 2] - values[a + 2]));
    }
    for (const update of updates) update(i + Math.round(part));
  };

  let asked = false;
  const render = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; renderer.render(scene, camera); });
  };
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.enablePan = false;
  controls.enableDamping = false;
  controls.addEventListener("change", render);
  // The wheel scrolls the page; with Ctrl it moves the view. A finger scrolls up and down.
  renderer.domElement.style.touchAction = "pan-y";
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) event.stopPropagation();
  }, { capture: true, passive: true });

  // Pixels above and below what is free of the key and the buttons: the crane stands between them.
  const covered = () => {
    const { clientHeight: height } = view, over = [0, 0];
    for (const part of view.querySelectorAll(".key, .view-buttons")) {
      const above = part.offsetTop + part.offsetHeight, below = height - part.offsetTop;
      if (above < below) over[0] = Math.max(over[0], above); else over[1] = Math.max(over[1], below);
    }
    return over;
  };

  // The whole crane in view, from the front if it is planar.
  const home = () => {
    if (!described) return;
    const { clientWidth: width, clientHeight: height } = view, [above, below] = covered();
    camera.setViewOffset(width, height, 0, (below - above) / 2, width, height);
    const centre = new THREE.Vector3(...described.centre);
    const azimuth = described.planar ? -Math.PI / 2 + 0.25 : described.azimuth;
    const elevation = described.planar ? 0.12 : 0.32;
    const back = new THREE.Vector3(
      Math.cos(azimuth) * Math.cos(elevation), Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation));
    const right = new THREE.Vector3().crossVectors(UP, back).normalize();
    const up = new THREE.Vector3().crossVectors(back, right);
    const tan = Math.tan(camera.fov * Math.PI / 360), free = Math.max(1 - (above + below) / height, 0.4);
    // the middle of what is seen, then the distance at which all of it is
    const seen = [right, up].map((axis) => outline.map((point) => point.dot(axis)));
    [right, up].forEach((axis, k) => {
      const middle = (Math.min(...seen[k]) + Math.max(...seen[k])) / 2;
      centre.addScaledVector(axis, middle - centre.dot(axis));
    });
    let distance = 0;
    for (const point of outline) {
      const from = point.clone().sub(centre), depth = from.dot(back);
      distance = Math.max(distance,
        depth + Math.abs(from.dot(up)) / (tan * free), depth + Math.abs(from.dot(right)) / (tan * camera.aspect));
    }
    camera.position.copy(centre).addScaledVector(back, 1.12 * distance);
    controls.target.copy(centre);
    controls.update();
    render();
  };
  const zoom = (factor) => {
    camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
    controls.update();
    render();
  };
  document.getElementById("home").addEventListener("click", home);
  document.getElementById("nearer").addEventListener("click", () => zoom(0.8));
  document.getElementById("farther").addEventListener("click", () => zoom(1.25));

  let moved = false;
  controls.addEventListener("start", () => { moved = true; });
  const resize = () => {
    const { clientWidth: width, clientHeight: height } = view;
    if (!width || !height) return;
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    renderer.setSize(width, height);
    if (moved) render(); else home();
  };
  new ResizeObserver(resize).observe(view);

  load();
  set(page.time());
  resize();
  page.onData(() => {
    if (page.data.scene === described) return;
    const first = !described;
    load();
    set(page.time());
    if (first) home(); else render();
  });
  let drawnAt = page.time(); // the same moment of the same scene is not drawn again
  page.onTime((t) => {
    if (t === drawnAt) return;
    set(drawnAt = t);
    render();
  });
  page.onTheme(() => { paint(); render(); });

  page.renderer = webgl ? "webgl" : "svg";
  page.positions = () => {
    const where = new THREE.Vector3(), result = {};
    scene.updateMatrixWorld();
    for (const [name, anchor] of anchors) result[name] = anchor.getWorldPosition(where).toArray();
    return result;
  };
})();
