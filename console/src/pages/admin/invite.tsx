/** Invites a person: creates the person and a key, and shows the link by which the person signs in. */
import { t } from "@lingui/core/macro";
import { Mail } from "lucide-react";
import { type FormEvent, useState } from "react";
import { CreateKey } from "../../generated/admin.js";
import { CreatePerson } from "../../generated/people.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions } from "../../parts/dialog.js";
import { TextField } from "../../parts/field.js";
import { QrCode } from "../../parts/qr-code.js";
import { Secret } from "../../parts/secret.js";
import { messageBeside, Refusal } from "../../parts/states.js";
import { invitationLink } from "../../session/invitation.js";
import { KeyRights, newRights, rightsInput } from "./key-rights.js";

interface Props {
  sites: string[];
  onClose: () => void;
  /** Reloads the page. */
  onMade: () => void;
}

export function Invite({ sites, onClose, onMade }: Props) {
  const createPerson = useChange(CreatePerson);
  const createKey = useChange(CreateKey, { isSecret: true });
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [rights, setRights] = useState(newRights);
  /** The person is created once, also if the key is refused at first. */
  const [personId, setPersonId] = useState<string>();
  const [link, setLink] = useState<string>();
  const wrong = { ...createPerson.wrong, ...createKey.wrong };
  const message =
    messageBeside(createPerson.error, "name", "email") || messageBeside(createKey.error, "name", "role", "expiresAt", "principalId");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { name: name.trim(), ...(email.trim() && { email: email.trim() }) };
    const principalId = personId ?? (await createPerson.run({ input }))?.createPerson?.id;
    if (!principalId) return;
    setPersonId(principalId);
    const made = await createKey.run({ input: { name: name.trim(), principalId, ...rightsInput(rights) } });
    if (made?.createApiKey) setLink(invitationLink(made.createApiKey.key));
    onMade();
  };
  if (link) return <Invitation name={name.trim()} email={email.trim()} link={link} onClose={onClose} />;
  return (
    <Dialog title={t`Invite a person`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <TextField
          label={t`Name`}
          hint={t`Actions of the person are recorded under this name`}
          required
          disabled={!!personId}
          value={name}
          wrong={wrong.name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t`Email address`}
          type="email"
          disabled={!!personId}
          value={email}
          wrong={wrong.email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <KeyRights sites={sites} rights={rights} wrong={wrong} onChange={setRights} />
        <Refusal text={message} />
        <DialogActions verb={t`Create the link`} isDisabled={createPerson.isBusy || createKey.isBusy || !name.trim()} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function Invitation({ name, email, link, onClose }: { name: string; email: string; link: string; onClose: () => void }) {
  const letter = new URLSearchParams({
    subject: t`Your access to the plant console`,
    body: t`Open this link to sign in. Do not pass it on.\n\n${link}`,
  });
  return (
    <Secret title={t`Invitation of ${name}`} secret={link} onClose={onClose}>
      <p>
        {t`Whoever opens the link signs in as ${name}, until the key expires or is revoked. Send it to ${name} only, or have the code scanned with the person's phone.`}
      </p>
      <div className="invitation-code">
        <QrCode text={link} label={t`Code of the link for ${name}`} />
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
