// Draws a CPU profile as an SVG. For a case: `PROFILE=folder node run.mjs CASE`. For a file: `node flame.mjs FILE.cpuprofile > flame.svg`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const nameOf = ({ functionName, url }) => {
  const place =
    /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? (url.includes("/dist/") ? "gateway" : url.startsWith("node:") ? "node" : "");
  return `${functionName || "(anonymous)"}${place && ` · ${place}`}`;
};

/** Merges frames of the same name below one parent. Omits start-up and idle time. */
function merge(byId, ids) {
  const frames = new Map();
  for (const id of ids) {
    const node = byId.get(id);
    const name = nameOf(node.callFrame);
    if (/^\((idle|program)\)|esm|ModuleJob|Module\._|compileForInternal/.test(name)) continue;
    const frame = frames.get(name) ?? { name, self: 0, ids: [] };
    frame.self += node.self;
    frame.ids.push(...(node.children ?? []));
    frames.set(name, frame);
  }
  return [...frames.values()].map(({ name, self, ids: below }) => {
    const children = merge(byId, below);
    return { name, children, total: self + children.reduce((sum, { total }) => sum + total, 0) };
  });
}

const [width, height, least] = [1200, 16, 0.004];
const escaped = (text) => text.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const colour = (name) =>
  / · gateway/.test(name)
    ? "#e8a33d"
    : / · pg/.test(name)
      ? "#7aa6c2"
      : / · node/.test(name)
        ? "#c9c9c9"
        : /graphql|apollo/.test(name)
          ? "#d27bb0"
          : "#b5c98e";

export function flame({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, { ...node, self: 0 }]));
  for (const [i, id] of samples.entries()) byId.get(id).self += Math.max(0, timeDeltas[i]);
  const [root] = merge(byId, [nodes[0].id]);
  const boxes = [];
  let depth = 0;
  const draw = (frame, x, level) => {
    const share = frame.total / root.total;
    if (share < least) return;
    depth = Math.max(depth, level);
    boxes.push({ x: x * width, y: level * height, w: share * width, name: frame.name, percent: (share * 100).toFixed(1) });
    let at = x;
    for (const child of frame.children.sort((a, b) => b.total - a.total)) {
      draw(child, at, level + 1);
      at += child.total / root.total;
    }
  };
  draw(root, 0, 0);
  const drawn = boxes.map(
    ({ x, y, w, name, percent }) =>
      `<g><title>${escaped(name)} ${percent} %</title><rect x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="15" fill="${colour(name)}"/>${w > 60 ? `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escaped(`${name} ${percent} %`.slice(0, Math.floor(w / 5.6)))}</text>` : ""}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${(depth + 1) * height}" font-family="monospace" font-size="9"><style>rect{stroke:#fff;stroke-width:.5}</style>${drawn.join("\n")}</svg>\n`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(flame(JSON.parse(readFileSync(process.argv[2], "utf8"))));
