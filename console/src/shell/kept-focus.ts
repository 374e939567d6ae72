/** Keeps the keyboard's place: if the focused element disappears, such as a pressed button, the focus moves to the nearest one that is left. */
import { useEffect } from "react";

/** Not fields, which open the keyboard of a phone. */
const targets = "a[href], button:enabled, summary";

export function useKeptFocus(): void {
  useEffect(() => {
    /** The focused element and its ancestors. Empty after the user pressed beside all elements. */
    let path: Element[] = [];
    let isPointer = false;
    const isLost = () => !document.activeElement || document.activeElement === document.body;
    const onFocus = (event: FocusEvent) => {
      path = event.composedPath().filter((one) => one instanceof Element);
    };
    const onKey = () => {
      isPointer = false;
    };
    const onPress = () => {
      isPointer = true;
      setTimeout(() => {
        if (isLost() && path[0]?.isConnected && !path[0].matches(":disabled")) path = [];
      });
    };
    const restore = () => {
      if (!path.length || !isLost()) return;
      const [left] = path;
      if (left?.isConnected) {
        // A button is disabled while its change is sent.
        if (left instanceof HTMLElement && !left.matches(":disabled")) left.focus({ preventScroll: true });
        return;
      }
      const place = path.find((one) => one.isConnected && one.closest("main, dialog"));
      const next =
        place?.id !== "main" &&
        (place?.querySelector<HTMLElement>(".button.primary:enabled") ?? place?.querySelector<HTMLElement>(targets));
      // With a mouse, the page stays where it is.
      if (next) next.focus({ preventScroll: isPointer });
      else document.getElementById("main")?.focus({ preventScroll: true });
    };
    // Later, because while the focus moves, no element has it for a moment. A restore then would undo the Tab key.
    const observer = new MutationObserver(() => {
      if (isLost()) setTimeout(restore);
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled"] });
    addEventListener("focusin", onFocus);
    addEventListener("keydown", onKey, true);
    addEventListener("pointerdown", onPress, true);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", onFocus);
      removeEventListener("keydown", onKey, true);
      removeEventListener("pointerdown", onPress, true);
    };
  }, []);
}
