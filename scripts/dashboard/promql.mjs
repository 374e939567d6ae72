// The subset of PromQL that the dashboard uses, evaluated on readings: selectors, rate, aggregations by labels, arithmetic, topk,
// histogram_quantile.
import { parser } from "@prometheus-io/lezer-promql";

/** A series disappears after this time without a reading. */
const staleSeconds = 3;

const units = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

const secondsOf = (duration) => [...duration.matchAll(/(\d+)(ms|s|m|h|d)/g)].reduce((sum, [, count, unit]) => sum + count * units[unit], 0);

const textOf = (literal) => literal.slice(1, -1).replace(/\\(.)/g, "$1");

const childrenOf = (node) => {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
};

/** Parses an expression into a tree of plain objects. Throws for invalid PromQL and for unsupported syntax. */
export function parseExpression(source) {
  const tree = parser.parse(source);
  tree.iterate({
    enter({ type, from }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${source}`);
    },
  });
  const slice = ({ from, to }) => source.slice(from, to);
  const argumentsOf = (body) => childrenOf(body).map(read);
  const readers = {
    ParenExpr: ([inner]) => read(inner),
    NumberDurationLiteral: (_, node) => ({ kind: "number", value: Number(slice(node)) }),
    VectorSelector: (children) => {
      const matchers = children.find(({ name }) => name === "LabelMatchers");
      return {
        kind: "selector",
        name: slice(children[0]),
        matchers: matchers
          ? childrenOf(matchers).map((matcher) => {
              const [label, operator, value] = childrenOf(matcher);
              return { label: slice(label), operator: slice(operator), value: textOf(slice(value)) };
            })
          : [],
      };
    },
    MatrixSelector: ([selector, duration]) => ({ kind: "range", selector: read(selector), seconds: secondsOf(slice(duration)) }),
    FunctionCall: ([name, body]) => ({ kind: "call", name: slice(name), args: argumentsOf(body) }),
    AggregateExpr: (children) => {
      const modifier = children.find(({ name }) => name === "AggregateModifier");
      const parts = modifier ? childrenOf(modifier) : [];
      if (parts.some(({ name }) => name === "Without")) throw new Error(`not drawn: ${source}`);
      const grouping = parts.find(({ name }) => name === "GroupingLabels");
      return {
        kind: "aggregate",
        name: slice(children[0]),
        by: grouping ? childrenOf(grouping).map(slice) : [],
        args: argumentsOf(children.find(({ name }) => name === "FunctionCallBody")),
      };
    },
    BinaryExpr: ([left, operator, right, ...more]) => {
      if (more.length) throw new Error(`not drawn: ${source}`);
      return { kind: "binary", operator: slice(operator), left: read(left), right: read(right) };
    },
  };
  function read(node) {
    const reader = readers[node.name];
    if (!reader) throw new Error(`not drawn: ${slice(node)}`);
    return reader(childrenOf(node), node);
  }
  return read(tree.topNode.firstChild);
}

const matches = (labels, { label, operator, value }) => {
  const found = labels[label] ?? "";
  const isEqual = operator.endsWith("~") ? new RegExp(`^(?:${value})$`).test(found) : found === value;
  return operator.startsWith("!") ? !isEqual : isEqual;
};

const seriesOf = ({ name, matchers }, store) =>
  store.of(name).filter(({ labels }) => matchers.every((matcher) => matches(labels, matcher)));

/** Increase of a counter per second. A decrease counts as a reset to 0. Undefined without two readings. */
function rateOf(points, from, to) {
  const within = points.filter(([time]) => time >= from && time <= to);
  if (within.length < 2) return undefined;
  let growth = 0;
  for (let i = 1; i < within.length; i++) growth += within[i][1] >= within[i - 1][1] ? within[i][1] - within[i - 1][1] : within[i][1];
  return growth / (within.at(-1)[0] - within[0][0]);
}

const keyOf = (labels) => JSON.stringify(Object.entries(labels).sort());

const only = (labels, names) => Object.fromEntries(names.filter((name) => name in labels).map((name) => [name, labels[name]]));

/** Groups samples by labels. */
function grouped(samples, labelsOf) {
  const groups = new Map();
  for (const sample of samples) {
    const labels = labelsOf(sample.labels);
    const key = keyOf(labels);
    if (!groups.has(key)) groups.set(key, { labels, samples: [] });
    groups.get(key).samples.push(sample);
  }
  return [...groups.values()];
}

/** Interpolates within a bucket like Prometheus. */
function quantileOf(quantile, samples) {
  const buckets = samples
    .map(({ labels, value }) => ({ bound: labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le), count: value }))
    .sort((a, b) => a.bound - b.bound);
  const total = buckets.at(-1)?.count;
  if (!total || buckets.at(-1).bound !== Number.POSITIVE_INFINITY) return Number.NaN;
  const rank = quantile * total;
  const at = buckets.findIndex(({ count }) => count >= rank);
  if (buckets[at].bound === Number.POSITIVE_INFINITY) return buckets[at - 1].bound;
  const [lower, below] = at ? [buckets[at - 1].bound, buckets[at - 1].count] : [0, 0];
  return lower + ((buckets[at].bound - lower) * (rank - below)) / (buckets[at].count - below);
}

const aggregations = {
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  count: (values) => values.length,
};

const operators = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** Value of an expression at a time: `{ labels, value }` per series. */
export function evaluate(expression, store, time) {
  const value = valueIn(expression, store, time);
  return typeof value === "number" ? [{ labels: {}, value }] : value;
}

function valueIn(expression, store, time) {
  const { kind, name, args } = expression;
  const inner = (one) => valueIn(one, store, time);
  if (kind === "number") return expression.value;
  if (kind === "selector")
    return seriesOf(expression, store).flatMap(({ labels, points }) => {
      const last = points.findLast(([at]) => at <= time);
      return last && time - last[0] <= staleSeconds ? [{ labels, value: last[1] }] : [];
    });
  if (kind === "call" && name === "rate") {
    const [{ selector, seconds }] = args;
    return seriesOf(selector, store).flatMap(({ labels, points }) => {
      const value = rateOf(points, time - seconds, time);
      return value === undefined ? [] : [{ labels, value }];
    });
  }
  if (kind === "call" && name === "histogram_quantile")
    return grouped(inner(args[1]), ({ le: _, ...labels }) => labels).map(({ labels, samples }) => ({
      labels,
      value: quantileOf(inner(args[0]), samples),
    }));
  if (kind === "aggregate" && name === "topk")
    return inner(args[1])
      .filter(({ value }) => !Number.isNaN(value))
      .sort((a, b) => b.value - a.value)
      .slice(0, inner(args[0]));
  if (kind === "aggregate" && aggregations[name])
    return grouped(inner(args[0]), (labels) => only(labels, expression.by)).map(({ labels, samples }) => ({
      labels,
      value: aggregations[name](samples.map(({ value }) => value)),
    }));
  if (kind === "binary" && operators[expression.operator])
    return combined(operators[expression.operator], inner(expression.left), inner(expression.right));
  throw new Error(`not drawn: ${name ?? expression.operator ?? kind}`);
}

/** Operands: two numbers, series with equal labels, or a number and series. */
function combined(operate, left, right) {
  if (typeof left === "number" && typeof right === "number") return operate(left, right);
  if (typeof left === "number") return right.map(({ labels, value }) => ({ labels, value: operate(left, value) }));
  if (typeof right === "number") return left.map(({ labels, value }) => ({ labels, value: operate(value, right) }));
  const others = new Map(right.map(({ labels, value }) => [keyOf(labels), value]));
  return left.flatMap(({ labels, value }) => {
    const other = others.get(keyOf(labels));
    return other === undefined ? [] : [{ labels, value: operate(value, other) }];
  });
}
