/** Persons: create, edit, deactivate, and create their keys. */
import { plural, t } from "@lingui/core/macro";
import { KeyRound, Pencil, Plus, UserRoundCheck, UserRoundPlus, UserRoundX, Users } from "lucide-react";
import { useCallback, useState } from "react";
import { useQuery } from "urql";
import { CreatePerson, People as Document, UpdatePerson } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Confirm } from "../../parts/confirm.js";
import { useSettled } from "../../parts/hooks.js";
import { More } from "../../parts/more.js";
import { RecordForm } from "../../parts/record-form.js";
import type { FieldSpec } from "../../parts/record-values.js";
import { SearchField } from "../../parts/search-field.js";
import { Secret } from "../../parts/secret.js";
import { Empty, Failed, LoadingCard, messageOf } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { wordOf } from "../../parts/words.js";
import { useLiveData } from "../../session/live.js";
import { useSession } from "../../session/session.js";
import { Invitations } from "./invitations.js";
import { Invite } from "./invite.js";
import { NewKey } from "./new-key.js";
import { type Person, PersonKeys, validKeys } from "./person-keys.js";

const fieldsOf = (crews: string[]): FieldSpec[] => [
  { name: "name", label: t`Name`, required: true },
  { name: "crew", label: t`Crew or shift`, options: crews },
  { name: "email", label: t`Email address`, hint: t`For information only` },
  { name: "locale", label: t`Language and region`, hint: t`Such as de-AT` },
  { name: "issuer", label: t`Identity provider`, hint: t`For sign-in with an account: the claim iss` },
  { name: "subject", label: t`Id at the identity provider`, hint: t`The claim sub` },
];

export function People({ sites }: { sites: string[] }) {
  const [text, setText] = useState("");
  const search = useSettled(text.trim()) || undefined;
  const [page, setPage] = useState<{ search?: string; after?: string | null }>({});
  const [asked, setAsked] = useState<{ what: "new" | "edit" | "key" | "invite" | "keys"; person?: Person }>();
  const [secret, setSecret] = useState<string>();
  const [{ data, error, fetching, stale }, retry] = useQuery({
    query: Document,
    variables: { search, after: page.search === search ? page.after : undefined },
  });
  const readAgain = useCallback(() => retry({ requestPolicy: "network-only" }), [retry]);
  useLiveData(["PRINCIPAL", "API_KEY"], readAgain);
  const close = () => setAsked(undefined);
  const found = data?.principals;
  const people = found?.nodes ?? [];
  const crews = [...new Set(people.flatMap(({ crew }) => crew ?? []))].sort();
  // The newest version of the person, so that changes of others can be taken over.
  const person = people.find(({ id }) => id === asked?.person?.id) ?? asked?.person;
  const invitations = data?.invitations ?? [];
  return (
    <div className="stack">
      {invitations.length > 0 && <Invitations invitations={invitations} onReload={readAgain} />}
      <section className="card" aria-label={t`People`} aria-busy={fetching || stale}>
        <header className="wrap">
          <SearchField placeholder={t`Find a name`} aria-label={t`Find a person`} value={text} onChange={setText} />
          <span className="row wrap">
            <button type="button" className="button small" onClick={() => setAsked({ what: "new" })}>
              <Plus className="icon" aria-hidden />
              {t`New person`}
            </button>
            <button type="button" className="button small primary" onClick={() => setAsked({ what: "invite" })}>
              <UserRoundPlus className="icon" aria-hidden />
              {t`Invite a person`}
            </button>
          </span>
        </header>
        {!found && (fetching ? <LoadingCard /> : <Failed error={error} onRetry={readAgain} />)}
        {found && !people.length && (
          <Empty icon={Users} title={search ? t`Nobody has this name` : t`No persons yet`}>
            {t`Invite everyone who uses the service. Each person gets a link to sign in.`}
          </Empty>
        )}
        {people.length > 0 && (
          <ul className="list">
            {people.map((one) => (
              <PersonLine key={one.id} person={one} onAsk={(what) => setAsked({ what, person: one })} onReload={readAgain} />
            ))}
          </ul>
        )}
        {found && (
          <More
            hasMore={found.pageInfo.hasNextPage}
            isBusy={fetching || stale}
            onMore={() => setPage({ search, after: found.pageInfo.endCursor })}
          />
        )}
        {asked?.what === "invite" && <Invite sites={sites} person={person} onClose={close} onMade={readAgain} />}
        {asked?.what === "keys" && person && <PersonKeys person={person} onClose={close} onReload={readAgain} />}
        {(asked?.what === "new" || asked?.what === "edit") && (
          <PersonForm person={asked.what === "edit" ? person : undefined} crews={crews} onClose={close} onReload={readAgain} />
        )}
        {asked?.what === "key" && (
          <NewKey
            sites={sites}
            person={person}
            onClose={close}
            onMade={(key) => {
              close();
              setSecret(key);
              readAgain();
            }}
          />
        )}
        {secret && <Secret title={t`New key`} secret={secret} onClose={() => setSecret(undefined)} />}
      </section>
    </div>
  );
}

interface FormProps {
  person?: Person;
  crews: string[];
  onClose: () => void;
  onReload: () => void;
}

function PersonForm({ person, crews, onClose, onReload }: FormProps) {
  const create = useChange(CreatePerson);
  const update = useChange(UpdatePerson);
  return (
    <RecordForm<{ name: string }>
      title={person ? t`Edit ${person.name}` : t`New person`}
      verb={person ? t`Save` : t`Create person`}
      fields={() => fieldsOf(crews)}
      record={person}
      change={person ? update : create}
      onSave={(input, expectedVersion) =>
        person ? update.run({ id: person.id, input, expectedVersion }, t`Saved`) : create.run({ input }, t`${input.name} created`)
      }
      onClose={onClose}
      onReload={onReload}
    />
  );
}

interface LineProps {
  person: Person;
  onAsk: (what: "edit" | "key" | "keys" | "invite") => void;
  onReload: () => void;
}

function PersonLine({ person, onAsk, onReload }: LineProps) {
  const { principalId } = useSession();
  const update = useChange(UpdatePerson);
  const [isAsking, setAsking] = useState(false);
  const { id, name, crew, email, isActive, erasedAt, version } = person;
  const valid = validKeys(person);
  const roles = [...new Set(valid.map(({ role }) => wordOf(role)))];
  const keyWords = valid.length ? `${plural(valid.length, { one: "# key", other: "# keys" })}: ${roles.join(", ")}` : t`no key`;
  const isInvited = isActive && valid.length > 0 && valid.every(({ lastUsedAt }) => !lastUsedAt);
  const set = async (active: boolean) => {
    const done = await update.run(
      { id, expectedVersion: version, input: { isActive: active } },
      active ? t`${name} is active again` : t`${name} is deactivated`,
    );
    if (done) setAsking(false);
    onReload();
  };
  return (
    <li style={{ flexWrap: "wrap" }}>
      <div className="grow" style={{ minWidth: 200 }}>
        <div className={`wraps ${isActive ? "strong" : "muted"}`}>
          {name}
          {id === principalId && <span className="muted small"> {t`(you)`}</span>}
        </div>
        <div className="muted small">{[crew, email, keyWords, isInvited && t`has not signed in yet`].filter(Boolean).join(" · ")}</div>
      </div>
      {!isActive && <Status value="DECOMMISSIONED" label={erasedAt ? t`Erased` : t`Deactivated`} />}
      {!erasedAt && (
        <span className="row wrap">
          {isActive && valid.length > 0 && (
            <button type="button" className="button small" onClick={() => onAsk("keys")}>
              {t`Keys`} <span className="hidden-text">{t`of ${name}`}</span>
            </button>
          )}
          {isActive && (
            <button type="button" className="button small" onClick={() => onAsk("invite")}>
              <UserRoundPlus className="icon" aria-hidden />
              {t`Invite`} <span className="hidden-text">{name}</span>
            </button>
          )}
          {isActive && (
            <button type="button" className="button small" onClick={() => onAsk("key")}>
              <KeyRound className="icon" aria-hidden />
              {t`New key`} <span className="hidden-text">{t`for ${name}`}</span>
            </button>
          )}
          <button type="button" className="button small icon-only" aria-label={t`Edit ${name}`} onClick={() => onAsk("edit")}>
            <Pencil className="icon" aria-hidden />
          </button>
          {isActive ? (
            <button
              type="button"
              className="button small danger icon-only"
              aria-label={t`Deactivate ${name}`}
              onClick={() => setAsking(true)}
            >
              <UserRoundX className="icon" aria-hidden />
            </button>
          ) : (
            <button
              type="button"
              className="button small icon-only"
              aria-label={t`Reactivate ${name}`}
              disabled={update.isBusy}
              onClick={() => void set(true)}
            >
              <UserRoundCheck className="icon" aria-hidden />
            </button>
          )}
        </span>
      )}
      {isAsking && (
        <Confirm
          title={t`Deactivate ${name}?`}
          text={t`Requests with the person's keys and accounts are refused from now on. Records keep the name. The person can be reactivated.`}
          verb={t`Deactivate`}
          isBusy={update.isBusy}
          refused={messageOf(update.error)}
          onClose={() => setAsking(false)}
          onConfirm={() => void set(false)}
        />
      )}
    </li>
  );
}
