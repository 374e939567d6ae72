/** Choices that the views of the calendar keep in the URL. */
import { t } from "@lingui/core/macro";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ComponentProps } from "react";
import { ButtonGroup } from "../../parts/button-group.js";
import { useNarrow } from "../../parts/hooks.js";
import { SiteSelect } from "../../parts/site-select.js";

const views = [
  ["month", t`Month`],
  ["agenda", t`Agenda`],
  ["week", t`Week by person`],
] as const;

/** The view of the URL, or the one that suits the screen. */
export function useView(): (typeof views)[number][0] {
  const { view } = useSearch({ from: "/calendar" });
  const isNarrow = useNarrow();
  return view ?? (isNarrow ? "agenda" : "month");
}

export function ViewChoice() {
  const view = useView();
  const navigate = useNavigate({ from: "/calendar" });
  return (
    <ButtonGroup className="chips" aria-label={t`View`}>
      {views.map(([name, label]) => (
        <button
          key={name}
          type="button"
          className="chip"
          aria-pressed={view === name}
          onClick={() => void navigate({ search: (was) => ({ ...was, view: name }) })}
        >
          {label}
        </button>
      ))}
    </ButtonGroup>
  );
}

export function SiteChoice({ sites }: Pick<ComponentProps<typeof SiteSelect>, "sites">) {
  const { site } = useSearch({ from: "/calendar" });
  const navigate = useNavigate({ from: "/calendar" });
  return (
    <SiteSelect
      className="input auto"
      sites={sites}
      site={site}
      onChange={(chosen) => void navigate({ search: (was) => ({ ...was, site: chosen }), replace: true })}
    />
  );
}

/** Moves to the period before, to today's, and to the next. */
export function PeriodChoice({ period, before, after }: { period: "month" | "week"; before: string; after: string }) {
  const search = useSearch({ from: "/calendar" });
  return (
    <span className="row" style={{ gap: 4 }}>
      <Link
        className="button icon-only"
        aria-label={period === "month" ? t`Previous month` : t`Previous week`}
        to="/calendar"
        search={{ ...search, [period]: before }}
      >
        <ChevronLeft className="icon" aria-hidden />
      </Link>
      <Link className="button" to="/calendar" search={{ ...search, [period]: undefined }}>
        {t`Today`}
      </Link>
      <Link
        className="button icon-only"
        aria-label={period === "month" ? t`Next month` : t`Next week`}
        to="/calendar"
        search={{ ...search, [period]: after }}
      >
        <ChevronRight className="icon" aria-hidden />
      </Link>
    </span>
  );
}
