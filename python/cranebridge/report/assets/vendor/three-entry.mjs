// What the report uses of three.js, and nothing else: esbuild leaves the rest out.
export {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, Curve,
  CylinderGeometry, DirectionalLight, DoubleSide, HemisphereLight, Line,
  LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Object3D,
  PerspectiveCamera, Quaternion, Scene, SphereGeometry, TubeGeometry, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
export { SVGRenderer } from "three/examples/jsm/renderers/SVGRenderer.js";
