/** Step chart of a balance over time. */
export interface Point {
  at: string;
  value: number;
}

export function Sparkline({
  points,
  least,
  label,
  width = 120,
  height = 30,
}: {
  points: Point[];
  least?: number | null;
  label: string;
  width?: number;
  height?: number;
}) {
  if (points.length < 2) return <span className="muted small">–</span>;
  const from = +new Date(points[0]!.at);
  const until = Math.max(Date.now(), +new Date(points.at(-1)!.at));
  const most = Math.max(...points.map(({ value }) => value), least ?? 0) || 1;
  const x = (at: string | number) => ((+new Date(at) - from) / (until - from || 1)) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  let path = `M0 ${y(points[0]!.value).toFixed(1)}`;
  for (const { at, value } of points.slice(1)) path += `H${x(at).toFixed(1)}V${y(value).toFixed(1)}`;
  path += `H${width}`;
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path className="area" d={`${path}V${height}H0Z`} />
      {least != null && least > 0 && <path className="least" d={`M0 ${y(least).toFixed(1)}H${width}`} />}
      <path className="line" d={path} />
    </svg>
  );
}
