/** Texts that people entered. Addresses of this console's work orders become links. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";

export const addressOfOrder = (id: string) => `${location.origin}/console/work/${id}`;

export function Said({ text }: { text: string }) {
  const start = addressOfOrder("");
  // Every part except the first begins with the id of an order.
  const [first, ...others] = text.split(start);
  return (
    <p className="said">
      {first}
      {others.map((part, index) => {
        const [id = ""] = /^[\w-]*/.exec(part) ?? [];
        return (
          <span key={index}>
            {id ? (
              <Link to="/work/$id" params={{ id }}>
                {start}
                {id}
              </Link>
            ) : (
              start
            )}
            {part.slice(id.length)}
          </span>
        );
      })}
    </p>
  );
}

/** The description of a record, as a card. */
export const Description = ({ text }: { text: string }) => (
  <section className="card" aria-label={t`Description`}>
    <div className="body" style={{ paddingTop: 16 }}>
      <Said text={text} />
    </div>
  </section>
);
