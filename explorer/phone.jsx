// On a phone the page shows one part at a time: query, result or a panel. The bar below chooses; style.css hides the others.
import { useGraphiQL } from "@graphiql/react";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { hidePanel, showPanel } from "./panels.js";
import { part } from "./store.js";

export const isPhone = () => matchMedia("(max-width: 700px)").matches;

export function PhoneBar() {
  const panel = useGraphiQL((state) => state.visiblePlugin)?.title;
  const isRunning = useGraphiQL((state) => state.isFetching);
  const shownPart = part.use();
  const [container, setContainer] = useState();
  const shown = panel ?? shownPart;

  useEffect(() => setContainer(document.querySelector(".graphiql-container")), []);
  useEffect(() => {
    if (isRunning) part.set("result");
  }, [isRunning]);
  useEffect(() => {
    document.body.dataset.part = panel ? "panel" : shownPart;
  }, [panel, shownPart]);

  const show = (name) => {
    if (panel) hidePanel(panel);
    part.set(name);
  };
  const tab = (name, label, onClick) => (
    <button type="button" aria-pressed={shown === name} onClick={onClick}>
      {label}
    </button>
  );
  if (!container) return null;
  return createPortal(
    <nav className="phone-bar" aria-label="Parts of the page">
      {tab("query", "Query", () => show("query"))}
      {tab("result", "Result", () => show("result"))}
      {tab("Examples", "Examples", () => showPanel("Examples"))}
      {tab("Documentation Explorer", "Docs", () => showPanel("Documentation Explorer"))}
    </nav>,
    container,
  );
}
