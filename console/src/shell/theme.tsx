import { t } from "@lingui/core/macro";
import { Monitor, Moon, Sun } from "lucide-react";
import { useEffect, useState } from "react";

const themes = [
  ["system", t`System colours`, Monitor],
  ["light", t`Light colours`, Sun],
  ["dark", t`Dark colours`, Moon],
] as const;
type Theme = (typeof themes)[number][0];

/** The browser may block storage. */
function stored(): Theme {
  try {
    return (localStorage.getItem("console:theme") as Theme | null) ?? "system";
  } catch {
    return "system";
  }
}

export function applyTheme(theme: Theme = stored()): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** A button that cycles through the three themes. */
export function ThemeButton() {
  const [theme, setTheme] = useState(stored);
  useEffect(() => {
    applyTheme(theme);
    try {
      localStorage.setItem("console:theme", theme);
    } catch {
      // The choice lasts as long as the page is open.
    }
  }, [theme]);
  const at = themes.findIndex(([name]) => name === theme);
  const [, word, Icon] = themes[at] ?? themes[0];
  return (
    <button type="button" className="minor" onClick={() => setTheme(themes[(at + 1) % themes.length]![0])}>
      <Icon className="icon" aria-hidden />
      <span>{word}</span>
    </button>
  );
}
