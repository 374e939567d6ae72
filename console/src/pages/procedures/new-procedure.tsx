/** Creates a procedure, also as a copy of another one. */
import { t } from "@lingui/core/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { CreateProcedure, ProcedureToEdit } from "../../generated/editor.js";
import { useChange } from "../../parts/change.js";
import { useTitle } from "../../parts/hooks.js";
import { Failed, LoadingCard } from "../../parts/states.js";
import { blank, type Draft, draftOf, newInput } from "./draft.js";
import { ProcedureForm } from "./editor.js";

export function NewProcedurePage(): ReactNode {
  const { asset, copy } = useSearch({ from: "/procedures/new" });
  const [{ data, fetching, error }] = useQuery({ query: ProcedureToEdit, variables: { id: copy ?? "" }, pause: !copy });
  useTitle(t`New procedure`);
  const copied = copy ? data?.procedure : undefined;
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t`New procedure`}</h1>
          {copied && <p>{t`Copy of “${copied.name}”`}</p>}
        </div>
      </div>
      {!copy ? (
        <NewForm key={asset} initial={{ ...blank, assetId: asset ?? "" }} />
      ) : copied ? (
        // Another procedure has its own id elsewhere, dates and meter totals.
        <NewForm
          key={copy}
          initial={{
            ...draftOf(copied),
            externalId: "",
            status: "ACTIVE",
            anchor: blank.anchor,
            meters: draftOf(copied).meters.map((one) => ({ ...one, dueAtTotal: "" })),
          }}
        />
      ) : fetching ? (
        <LoadingCard lines={10} />
      ) : (
        <Failed error={error} />
      )}
    </>
  );
}

function NewForm({ initial }: { initial: Draft }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(initial);
  const create = useChange(CreateProcedure);
  const submit = async (site: string | undefined) => {
    const made = (await create.run({ input: newInput(draft, site) }, t`${draft.name.trim()} created`))?.createProcedure;
    if (made) void navigate({ to: "/procedures/$id", params: { id: made.id } });
  };
  return (
    <ProcedureForm
      draft={draft}
      onDraft={setDraft}
      verb={t`Create procedure`}
      change={create}
      onSubmit={(site) => void submit(site)}
      onCancel={() => void navigate({ to: "/procedures", search: {}, ignoreBlocker: true })}
    />
  );
}
