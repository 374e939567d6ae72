import { t } from "@lingui/core/macro";
import { useState } from "react";
import { TextArea, TextField } from "../../parts/field.js";
import { PartFields } from "./part-fields.js";
import type { StepDraft } from "./step-drafts.js";

interface Props {
  step: StepDraft;
  number: number;
  wrongAt: (field: string) => string | undefined;
  onChange: (change: Partial<StepDraft>) => void;
}

/** Fields that only the steps of a procedure have: tools, checks, a safety note and parts. */
export function StepDetails({ step, number, wrongAt, onChange }: Props) {
  const { tools, checkpoints, safetyNote, parts } = step;
  // Only at first: emptied fields stay in place.
  const [isOpen] = useState(!!(tools || checkpoints || safetyNote || parts.length));
  return (
    <details open={isOpen}>
      <summary>
        {t`Safety, tools, checks and parts`}
        <span className="hidden-text"> {t`of step ${number}`}</span>
      </summary>
      <div className="stack tight" style={{ paddingTop: 8 }}>
        <TextField
          label={t`Safety note`}
          value={safetyNote}
          wrong={wrongAt("safetyNote")}
          onChange={({ target }) => onChange({ safetyNote: target.value })}
        />
        <div className="grid-2">
          <TextArea
            label={t`Tools`}
            hint={t`One a line`}
            rows={2}
            value={tools}
            wrong={wrongAt("tools")}
            onChange={({ target }) => onChange({ tools: target.value })}
          />
          <TextArea
            label={t`Checks`}
            hint={t`One a line`}
            rows={2}
            value={checkpoints}
            wrong={wrongAt("checkpoints")}
            onChange={({ target }) => onChange({ checkpoints: target.value })}
          />
        </div>
        <PartFields
          label={t`Add a part to step ${number}`}
          drafts={parts}
          wrongAt={(index) => wrongAt(`parts.${index}.quantity`) ?? wrongAt(`parts.${index}.partId`)}
          onChange={(changed) => onChange({ parts: changed })}
        />
      </div>
    </details>
  );
}
