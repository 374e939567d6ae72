/** The planner's calendar: a month, an agenda, or a week with a lane per person. */
import type { ReactNode } from "react";
import { useView } from "./choices.js";
import { Month } from "./month.js";
import { Week } from "./week.js";

export function CalendarPage(): ReactNode {
  const view = useView();
  return view === "week" ? <Week /> : <Month isAgenda={view === "agenda"} />;
}
