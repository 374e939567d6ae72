import { useQuery } from "urql";
import { FailureCodeNames } from "../../generated/failure-names.js";
import { failureName } from "../../parts/failure-labels.js";
import { wordOf } from "../../parts/words.js";

/** Names of failure codes in the language of the console. */
export function useFailureNames(): (code: string) => string {
  const [{ data }] = useQuery({ query: FailureCodeNames });
  const names = new Map(data?.failureCodes?.map(({ code, name }) => [code, name]));
  return (code) => {
    const name = names.get(code);
    return name ? failureName(name) : wordOf(code);
  };
}
