import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { figure } from "../../parts/words.js";
import type { Section } from "./figures.js";

export function FigureSection({ title, figures }: Section) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="figures-title">
        {title}
      </h2>
      <div className="figures">
        {figures.map(({ label, value, unit, isUrgent, to }) => (
          <Link key={label} className={`figure${isUrgent && value > 0 ? " urgent" : ""}`} {...to}>
            <span className="value">{figure(value, unit)}</span>
            <span className="label">{label}</span>
          </Link>
        ))}
      </div>
    </section>
  );
}
