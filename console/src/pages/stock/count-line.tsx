/** A line of a count sheet. Each number is stored on entry, so that it is compared with the book balance of that moment. */
import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { Check, RotateCcw } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { RecordCount, RequestRecount } from "../../generated/count.js";
import { useChange } from "../../parts/change.js";
import { minus } from "../../parts/decimals.js";
import { useOnline } from "../../parts/hooks.js";
import { messageOf } from "../../parts/states.js";
import { ago, exact, notANumber, numberOf, signed, unitWord } from "../../parts/words.js";
import { useSession } from "../../session/session.js";
import type { Count } from "./count-state.js";

type Line = Count["lines"]["nodes"][number];

/** Focuses the field of the next uncounted line. */
function goOn(input: HTMLInputElement | null): void {
  const inputs = [...(input?.closest("ul")?.querySelectorAll<HTMLInputElement>("input") ?? [])];
  inputs[inputs.indexOf(input!) + 1]?.focus();
}

interface Props {
  of: Count;
  line: Line;
  onRecount: () => void;
}

interface LineProps extends Props {
  /** Runs a request that records lines. */
  record: (request: () => Promise<unknown>) => Promise<void>;
}

export function CountLine({ of, line, record: send, onRecount }: LineProps) {
  const { can } = useSession();
  const isOnline = useOnline();
  // Only a queued change carries the time of counting: the device's clock may be wrong.
  const record = useChange(RecordCount, { waits: !isOnline });
  // Kept here rather than in the field, so that a rejected entry reappears as typed.
  const [text, setText] = useState("");
  const { part, location, round, expected, counted, countedAt, bookAtCount, difference, note, countedByPrincipal } = line;
  const unit = unitWord(part.unitOfMeasure);
  const isOpen = of.status === "OPEN";
  const isCounted = counted != null;
  const books = bookAtCount ?? expected;
  return (
    <li className="count-line">
      <div className="grow">
        <div className="clip">
          <Link className="title" to="/stock/$id" params={{ id: part.id }}>
            {part.name}
          </Link>
          {round > 1 && <span className="muted small"> {t`· count ${round}`}</span>}
        </div>
        <div className="muted small clip">
          {location && <span className="mono strong">{location}</span>}
          {location && " · "}
          <span className="mono">{part.partNumber}</span>
        </div>
        {isCounted && (countedByPrincipal || note) && (
          <div className="muted small">
            {[countedByPrincipal && `${countedByPrincipal.name}, ${countedAt ? ago(countedAt) : ""}`, note].filter(Boolean).join(": ")}
          </div>
        )}
      </div>
      {books != null && (
        <span className="num right in-books">
          <span className="muted small">{t`In the books`}</span>
          <br />
          {exact(books, unit)}
        </span>
      )}
      <span className="found-there">
        {isCounted ? (
          <span className="num right counted">
            <span className="muted small">{t`Counted`}</span>
            <br />
            <span className="strong">{exact(counted, unit)}</span>
            {difference != null && (
              <span className={`difference ${difference ? "warn" : "good"}`}>{difference ? signed(difference) : t`as in the books`}</span>
            )}
          </span>
        ) : isOpen && can("recordCount") ? (
          <Entry
            line={line}
            unit={unit}
            text={text}
            refused={record.wrong["0.counted"] ?? Object.values(record.wrong)[0] ?? messageOf(record.error)}
            onType={setText}
            onStore={(number) => {
              const one = { partId: line.partId, counted: number, ...(!isOnline && { countedAt: new Date().toISOString() }) };
              void send(() => record.run({ id: of.id, lines: [one] }));
            }}
          />
        ) : (
          <span className="muted small counted right">{t`Not counted`}</span>
        )}
        {isOpen && isCounted && can("requestRecount") && <Again of={of} line={line} onRecount={onRecount} />}
      </span>
    </li>
  );
}

interface EntryProps {
  line: Line;
  unit: string;
  text: string;
  refused: string;
  onType: (text: string) => void;
  onStore: (counted: number) => void;
}

function Entry({ line, unit, text, refused, onType, onStore }: EntryProps) {
  const id = useId();
  const number = numberOf(text);
  const wrong = notANumber(text) ?? refused;
  const hint =
    number !== undefined && line.expected != null && number !== line.expected && t`${signed(minus(number, line.expected))} to the books`;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (number === undefined) return;
    goOn(event.currentTarget.querySelector("input"));
    onStore(number);
  };
  return (
    <form className="count-entry-form" onSubmit={submit}>
      <span className="row">
        <input
          className="input num"
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
          aria-label={line.location ? t`Counted of ${line.part.name} at ${line.location}` : t`Counted of ${line.part.name}`}
          aria-invalid={!!wrong}
          aria-describedby={wrong || hint ? id : undefined}
          placeholder={unit || t`Counted`}
          value={text}
          onChange={(event) => onType(event.target.value)}
        />
        <button
          type="submit"
          className="button icon-only"
          aria-label={t`Save the count of ${line.part.name}`}
          disabled={number === undefined}
        >
          <Check className="icon" aria-hidden />
        </button>
      </span>
      {wrong ? (
        <span id={id} className="wrong" role="alert">
          {wrong}
        </span>
      ) : (
        hint && (
          <span id={id} className="hint">
            {hint}
          </span>
        )
      )}
    </form>
  );
}

function Again({ of, line, onRecount }: Props) {
  const recount = useChange(RequestRecount);
  return (
    <button
      type="button"
      className="button plain small icon-only"
      aria-label={t`Count ${line.part.name} again`}
      title={t`Count again`}
      disabled={recount.isBusy}
      onClick={() => void recount.run({ id: of.id, partIds: [line.partId] }, t`To be counted once more`).then(onRecount)}
    >
      <RotateCcw className="icon" aria-hidden />
    </button>
  );
}
