/** Creates a key of a person or a program, and says what it may do. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import { CreateKey } from "../../generated/admin.js";
import { ActivePeople } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Dialog } from "../../parts/dialog.js";
import { Select, TextField } from "../../parts/field.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { KeyRights, newRights, rightsInput } from "./key-rights.js";

interface Props {
  sites: string[];
  /** The person that the key is for. Can be changed in the form. */
  person?: { id: string; name: string };
  onClose: () => void;
  onMade: (key: string) => void;
}

export function NewKey({ sites, person, onClose, onMade }: Props) {
  const create = useChange(CreateKey, { isSecret: true });
  const [{ data }] = useQuery({ query: ActivePeople });
  const people = data?.principals?.nodes ?? (person ? [person] : []);
  const [principalId, setPrincipalId] = useState(person?.id ?? "");
  const [name, setName] = useState(person?.name ?? "");
  const [rights, setRights] = useState(newRights);
  const { wrong, error, isBusy } = create;
  const message = messageBeside(error, "name", "principalId", "role", "expiresAt");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = {
      name: name.trim(),
      ...(principalId && { principalId }),
      ...rightsInput(rights),
    };
    const made = await create.run({ input });
    if (made?.createApiKey) onMade(made.createApiKey.key);
  };
  return (
    <Dialog title={t`New key`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <Select
          label={t`For`}
          hint={t`Actions with the key are recorded under this name`}
          value={principalId}
          wrong={wrong.principalId}
          onChange={(event) => {
            setPrincipalId(event.target.value);
            const known = people.find(({ id }) => id === event.target.value);
            if (known && !name.trim()) setName(known.name);
          }}
        >
          <option value="">{t`A program`}</option>
          {people.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </Select>
        <TextField
          label={t`Name`}
          hint={t`The person or program that uses the key`}
          required
          value={name}
          wrong={wrong.name}
          onChange={(event) => setName(event.target.value)}
        />
        <KeyRights sites={sites} rights={rights} wrong={wrong} onChange={setRights} />
        <Refusal text={message} />
        <div className="actions stays">
          <button type="button" className="button" onClick={onClose}>
            {t`Cancel`}
          </button>
          <button type="submit" className="button primary" disabled={isBusy || !name.trim()}>
            {t`Create key`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
