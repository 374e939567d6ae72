/** Invites a person by a link that works once. Creates the person unless one is given. */
import { t } from "@lingui/core/macro";
import { Mail } from "lucide-react";
import { type FormEvent, useState } from "react";
import { CreateInvitation, CreatePerson } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { QrCode } from "../../parts/qr-code.js";
import { Secret } from "../../parts/secret.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { day } from "../../parts/words.js";
import { KeyRights, newRights, rightsInput } from "./key-rights.js";

interface Person {
  id: string;
  name: string;
  email: string | null;
}

interface Props {
  sites: string[];
  /** Default: a new person. */
  person?: Person;
  onClose: () => void;
  /** Reloads the page. */
  onMade: () => void;
}

export function Invite({ sites, person: known, onClose, onMade }: Props) {
  const createPerson = useChange(CreatePerson);
  const createInvitation = useChange(CreateInvitation, { isSecret: true });
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [rights, setRights] = useState(newRights);
  /** The person is created once, also if the invitation is refused at first. */
  const [person, setPerson] = useState(known);
  const [made, setMade] = useState<{ url: string; expiresAt: string }>();
  const wrong = { ...createPerson.wrong, ...createInvitation.wrong };
  const message = messageBeside(createPerson.error, "name", "email") || messageBeside(createInvitation.error, "role", "keyExpiresAt");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { name: name.trim(), ...(email.trim() && { email: email.trim() }) };
    const invited = person ?? (await createPerson.run({ input }))?.createPerson;
    if (!invited) return;
    setPerson(invited);
    const { expiresAt: keyExpiresAt, ...given } = rightsInput(rights);
    const done = await createInvitation.run({ input: { principalId: invited.id, ...given, ...(keyExpiresAt && { keyExpiresAt }) } });
    if (done?.createInvitation) setMade({ url: done.createInvitation.url, expiresAt: done.createInvitation.invitation.expiresAt });
    onMade();
  };
  if (made && person) return <Invitation person={person} {...made} onClose={onClose} />;
  return (
    <Dialog title={known ? t`Invite ${known.name}` : t`Invite a person`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {!known && (
          <>
            <TextField
              label={t`Name`}
              hint={t`Actions of the person are recorded under this name`}
              required
              disabled={!!person}
              value={name}
              wrong={wrong.name}
              onChange={(event) => setName(event.target.value)}
            />
            <TextField
              label={t`Email address`}
              type="email"
              disabled={!!person}
              value={email}
              wrong={wrong.email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </>
        )}
        <KeyRights
          sites={sites}
          rights={rights}
          wrong={{ ...wrong, ...(wrong.keyExpiresAt && { expiresAt: wrong.keyExpiresAt }) }}
          onChange={setRights}
        />
        <Refusal text={message} />
        <DialogActions
          verb={t`Create the link`}
          isDisabled={createPerson.isBusy || createInvitation.isBusy || !(person || name.trim())}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

interface InvitationProps {
  person: Person;
  url: string;
  expiresAt: string;
  onClose: () => void;
}

function Invitation({ person: { name, email }, url, expiresAt, onClose }: InvitationProps) {
  const end = day(expiresAt);
  const letter = new URLSearchParams({
    subject: t`Your access to the plant console`,
    body: t`Open this link on your own device to sign in. It works once, until ${end}. Do not pass it on.\n\n${url}`,
  });
  return (
    <Secret title={t`Invitation of ${name}`} secret={url} onClose={onClose}>
      <p>
        {t`The link works once, until ${end}: whoever accepts it signs in as ${name}. Send it to ${name} only, or have the code scanned with the person's phone.`}
      </p>
      <div className="invitation-code">
        <QrCode text={url} label={t`Code of the link for ${name}`} />
      </div>
      {email && (
        <p>
          <a className="button" href={`mailto:${encodeURIComponent(email)}?${letter.toString().replaceAll("+", "%20")}`}>
            <Mail className="icon" aria-hidden />
            {t`Write an email`}
          </a>
        </p>
      )}
    </Secret>
  );
}
