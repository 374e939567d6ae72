/** Bar chart, with an equivalent table for screen readers. */
export interface Bar {
  label: string;
  value: number;
  title?: string;
}

const height = 92;

export function Bars({
  bars,
  label,
  tone = "info",
  format = String,
}: {
  bars: Bar[];
  label: string;
  tone?: string;
  format?: (value: number) => string;
}) {
  const most = Math.max(...bars.map(({ value }) => value), 0) || 1;
  const width = 100 / Math.max(1, bars.length);
  return (
    <figure className="bars">
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ label: name, value, title }, index) => {
          const size = Math.max(value > 0 ? 2 : 0.6, (value / most) * (height - 4));
          return (
            <rect
              key={name}
              className={`span ${value > 0 ? tone : "calm"}`}
              x={index * width + width * 0.14}
              width={width * 0.72}
              y={height - size}
              height={size}
            >
              <title>{title ?? `${name}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className="bar-labels" aria-hidden="true">
        {bars.map(({ label: name }, index) => (
          <span key={name}>{bars.length > 8 && index % 2 ? "" : name}</span>
        ))}
      </div>
      <table className="hidden-text">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ label: name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
