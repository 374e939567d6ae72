/** The agenda of the calendar: the days that have planned or due work, one below the other. */
import { t } from "@lingui/core/macro";
import { CalendarCheck } from "lucide-react";
import { Empty } from "../../parts/states.js";
import { dayWord } from "../../parts/words.js";
import { EntryButton } from "./entry-button.js";
import { type Entry, idOf } from "./types.js";

interface Props {
  days: readonly string[];
  today: string;
  byDay: ReadonlyMap<string, readonly Entry[]>;
  label: string;
  isBusy: boolean;
  onShow: (id: string) => void;
}

export function Agenda({ days, today, byDay, label, isBusy, onShow }: Props) {
  const taken = days.filter((day) => byDay.has(day));
  return (
    <section className="card agenda" aria-label={label} aria-busy={isBusy}>
      {taken.length === 0 && <Empty icon={CalendarCheck} title={t`Nothing is planned or due in this period`} />}
      {taken.map((day) => (
        <section key={day} className={`agenda-day${day === today ? " today" : ""}`} aria-labelledby={`day-${day}`} data-day={day}>
          <h2 id={`day-${day}`}>
            {dayWord(day, { weekday: "short", day: "numeric", month: "short" })}
            {day === today && <span className="muted small"> {t`Today`}</span>}
          </h2>
          <ul className="entries">
            {byDay.get(day)!.map((entry) => (
              <li key={idOf(entry)}>
                <EntryButton entry={entry} isDetailed onShow={() => onShow(idOf(entry))} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
}
