/** The figures of several scopes and periods. Each is one request of the same document. */
import type { CombinedError } from "@urql/core";
import { useEffect, useState } from "react";
import { useClient } from "urql";
import type { AssetFilter } from "../../../../packages/client/src/generated/schema.js";
import {
  type MeasuredReliabilityFragment,
  ReportFigures,
  type ReportFiguresQuery,
  type ReportFiguresQueryVariables,
} from "../../generated/reports.js";
import { zoneOf } from "../../parts/zones.js";
import type { Period } from "./period.js";

export type Figures = ReportFiguresQuery;
export type Reliability = NonNullable<Figures["reliability"]>;

/** Figures from which the measures are computed. */
export type Measured = Partial<Pick<Figures, "work" | "compliance">> & { reliability: MeasuredReliabilityFragment | null };

/** All assets, or those of a site, an area of a site or a type, or one asset. */
export interface Scope {
  assetId?: string;
  site?: string;
  area?: string;
  type?: string;
}

export const assetsOf = ({ site, area, type }: Scope): { asset?: AssetFilter } =>
  site !== undefined ? { asset: { site, area } } : type !== undefined ? { asset: { type } } : {};

export const variablesOf = (scope: Scope, period: Period, withDetails: boolean): ReportFiguresQueryVariables => ({
  ...period,
  ...scope,
  timeZone: zoneOf(scope.site),
  ended: { completedAt: { from: period.from, until: period.to }, ...assetsOf(scope) },
  stock: scope.site ? { site: scope.site } : {},
  withCompliance: scope.type === undefined && scope.area === undefined,
  withDetails,
});

interface Answers {
  key: string;
  data: (Figures | undefined)[];
  error?: CombinedError;
}

export function useFigures(requests: ReportFiguresQueryVariables[], isPaused: boolean) {
  const client = useClient();
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify(requests);
  const [answers, setAnswers] = useState<Answers>({ key, data: [] });
  useEffect(() => {
    if (isPaused) return;
    const sent = JSON.parse(key) as ReportFiguresQueryVariables[];
    setAnswers({ key, data: [] });
    const readings = sent.map((variables, index) =>
      client.query(ReportFigures, variables, attempt ? { requestPolicy: "network-only" } : {}).subscribe(({ data, error }) =>
        setAnswers((was) => {
          if (was.key !== key) return was;
          const all = [...was.data];
          all[index] = data ?? all[index];
          return { key, data: all, error: error ?? was.error };
        }),
      ),
    );
    return () => {
      for (const one of readings) one.unsubscribe();
    };
  }, [client, key, isPaused, attempt]);
  const current = answers.key === key ? answers : { data: [], error: undefined };
  return {
    data: current.data as (Figures | undefined)[],
    error: current.error,
    isBusy: !isPaused && !current.error && requests.some((_, index) => !current.data[index]),
    retry: () => setAttempt((was) => was + 1),
  };
}
