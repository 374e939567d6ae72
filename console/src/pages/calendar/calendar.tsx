/** The planner's calendar: a month, or a week with a lane per person. */
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Month } from "./month.js";
import { Week } from "./week.js";

export function CalendarPage(): ReactNode {
  const { view } = useSearch({ from: "/calendar" });
  return view === "week" ? <Week /> : <Month />;
}
