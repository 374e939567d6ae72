import { t } from "@lingui/core/macro";
import { ButtonGroup } from "../../parts/button-group.js";
import type { Choice, People } from "../../parts/people.js";
import { count } from "../../parts/words.js";
import { useSession } from "../../session/session.js";

/** Maximum number of person chips. People with the most work come first. */
const mostChips = 6;

interface ChipsProps {
  people: People;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** Filter by assignee: the user's own work and unassigned work first. */
export function PeopleChips({ people: { mine, nobodys, others }, choice, onChoose }: ChipsProps) {
  const { can } = useSession();
  const isChosen = ({ person, who }: Choice) => choice.person === person && choice.who === who;
  const chips = others.length > mostChips ? [...others].sort((a, b) => b.count - a.count).slice(0, mostChips) : others;
  const rest = others.filter((one) => !chips.includes(one));
  const chosenOfRest = rest.findIndex(isChosen);
  const chip = (label: string, to: Choice, number?: number) => (
    <button
      key={to.person ?? `text ${to.who}`}
      type="button"
      className="chip"
      aria-pressed={isChosen(to)}
      onClick={() => onChoose(isChosen(to) ? {} : to)}
    >
      <span className="clip">{label}</span>
      {number !== undefined && <span className="num">{count(number)}</span>}
    </button>
  );
  return (
    <ButtonGroup className="chips" aria-label={t`Person`} style={{ marginBottom: 16 }}>
      {chip(t`Everyone`, {})}
      {(can("assignWorkOrder") || mine > 0) && chip(t`My day`, { person: "me" }, mine)}
      {chip(t`Unassigned`, { person: "nobody" }, nobodys)}
      {chips.map(({ name, person, who, count: number }) => chip(name, { person, who }, number))}
      {rest.length > 0 && (
        <select
          className="input auto chip-select"
          aria-label={t`Another person`}
          value={chosenOfRest < 0 ? "" : chosenOfRest}
          onChange={({ target: { value } }) => onChoose(value ? { person: rest[+value]!.person, who: rest[+value]!.who } : {})}
        >
          <option value="">{t`Another person`}</option>
          {rest.map(({ name, person, who, count: number }, index) => (
            <option key={person ?? `text ${who}`} value={index}>
              {`${name} (${number})`}
            </option>
          ))}
        </select>
      )}
    </ButtonGroup>
  );
}
