import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { useQuery } from "urql";
import { WorkOrderChoices } from "../generated/work-order-choice.js";
import { useSettled } from "./hooks.js";
import { SearchField } from "./search-field.js";

interface Props {
  label: string;
  wrong?: string;
  onChoose: (order: { id: string; title: string }) => void;
}

/** A search field that lists the open work orders found, to choose one. */
export function WorkOrderChoice({ label, wrong, onChoose }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const search = useSettled(text.trim());
  const [{ data, fetching }] = useQuery({ query: WorkOrderChoices, variables: { search }, pause: !search });
  const found = search ? data?.workOrders?.nodes : undefined;
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <SearchField id={id} placeholder={t`Title`} value={text} onChange={setText} />
      {wrong && (
        <span className="wrong" role="alert">
          {wrong}
        </span>
      )}
      {found && (
        <ul className="list choices" aria-label={t`Work orders found`} aria-busy={fetching}>
          {found.map((order) => (
            <li key={order.id}>
              <button
                type="button"
                onClick={() => {
                  setText("");
                  onChoose(order);
                }}
              >
                <span className="strong anywhere">{order.title}</span>
                <span className="muted small">{order.asset?.name}</span>
              </button>
            </li>
          ))}
          {!found.length && <li className="muted">{t`Nothing found.`}</li>}
        </ul>
      )}
    </div>
  );
}
