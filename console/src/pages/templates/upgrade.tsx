/** Upgrades component trees to the latest version of their template: first a dry run that shows what changes and what is kept. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useEffect, useState } from "react";
import { UpgradeInstances, type UpgradeInstancesMutation } from "../../generated/templates.js";
import { useChange } from "../../parts/change.js";
import { Dialog, DialogActions, DoneDialog } from "../../parts/dialog.js";
import { Loading, messageOf, Refusal } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { DifferenceList } from "./difference-list.js";
import type { Template } from "./items.js";

type Upgrades = NonNullable<UpgradeInstancesMutation["upgradeInstances"]>;

interface Props {
  template: Template;
  instances: Template["instances"];
  nameOf: (assetId: string | null) => string;
  onClose: () => void;
}

export function UpgradeDialog({ template, instances, nameOf, onClose }: Props) {
  const upgrade = useChange(UpgradeInstances);
  const [removeItems, setRemoveItems] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(instances.map(({ id }) => id)));
  const [plan, setPlan] = useState<Upgrades>();
  const [done, setDone] = useState<Upgrades>();
  const { id: templateId, version } = template;
  // The version that the dialog opened with. Only this version is applied.
  const [[expectedVersion, instanceIds]] = useState(() => [version, instances.map(({ id }) => id)] as const);
  const { run } = upgrade;
  useEffect(() => {
    void run({ input: { templateId, instanceIds, dryRun: true, removeItems }, expectedVersion }).then(
      (answer) => answer?.upgradeInstances && setPlan(answer.upgradeInstances),
    );
  }, [run, templateId, instanceIds, removeItems, expectedVersion]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { templateId, instanceIds: instanceIds.filter((id) => chosen.has(id)), dryRun: false, removeItems };
    const answer = await run({ input, expectedVersion });
    if (answer?.upgradeInstances) setDone(answer.upgradeInstances);
  };
  const labelOf = (instanceId: string) => nameOf(instances.find(({ id }) => id === instanceId)?.assetId ?? null);
  if (done)
    return (
      <DoneDialog title={t`Upgraded to version ${done.version}`} onClose={onClose}>
        <ul className="stack tight" aria-label={t`Results`}>
          {done.results.map(({ instanceId, status, error }) => (
            <li key={instanceId} className="row wrap spread">
              <span className="anywhere">{labelOf(instanceId)}</span>
              {status === "SUCCESS" ? (
                <Status value="COMPLETED" label={t`Upgraded`} />
              ) : (
                <Status value="FAILED" label={error ?? t`Refused`} />
              )}
            </li>
          ))}
        </ul>
      </DoneDialog>
    );
  return (
    <Dialog title={t`Upgrade to version ${version}`} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        <label className="check">
          <input type="checkbox" checked={removeItems} onChange={({ target }) => setRemoveItems(target.checked)} />
          {t`Delete components that the template no longer has`}
        </label>
        {!plan && upgrade.isBusy && <Loading lines={4} />}
        {plan && (
          <ul className="stack" aria-label={t`What changes`} aria-busy={upgrade.isBusy}>
            {plan.results.map(({ instanceId, differences, error }) => (
              <li key={instanceId} className="boxed stack tight">
                <label className="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(instanceId)}
                    onChange={({ target }) =>
                      setChosen(new Set(instanceIds.filter((id) => (id === instanceId ? target.checked : chosen.has(id)))))
                    }
                  />
                  <span className="strong anywhere">{labelOf(instanceId)}</span>
                </label>
                {error && <Status value="FAILED" label={error} />}
                <DifferenceList differences={differences} label={t`Changes of ${labelOf(instanceId)}`} />
              </li>
            ))}
          </ul>
        )}
        <Refusal text={messageOf(upgrade.error)} />
        <DialogActions
          verb={plural(chosen.size, { one: "Upgrade 1", other: "Upgrade #" })}
          isDisabled={!plan || !chosen.size || upgrade.isBusy}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}
