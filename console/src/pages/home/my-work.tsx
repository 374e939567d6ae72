/** Today's open orders: the user's own, overdue ones first, and those that nobody has taken. */
import { plural, t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { CircleCheckBig } from "lucide-react";
import type { HomePageQuery } from "../../generated/home.js";
import { OrderLines } from "../../parts/orders.js";
import { Empty } from "../../parts/states.js";

type Orders = NonNullable<HomePageQuery["mine"]>;

export function MyWork({ mine, free }: { mine: Orders; free: Orders }) {
  return (
    <>
      <section className="card" aria-labelledby="my-work">
        <header>
          <h2 id="my-work">{t`My work today`}</h2>
          <Link to="/work" search={{ person: "me", due: "today" }}>
            {plural(mine.totalCount, { one: "# order", other: "# orders" })}
          </Link>
        </header>
        {mine.nodes.length ? (
          <div className="body flush">
            <OrderLines orders={mine.nodes} />
          </div>
        ) : (
          <Empty icon={CircleCheckBig} title={t`Nothing to do today`}>
            {t`No open work of today is assigned to you.`}
          </Empty>
        )}
      </section>
      {free.nodes.length > 0 && (
        <section className="card" aria-labelledby="free-work">
          <header>
            <h2 id="free-work">{t`Not assigned today`}</h2>
            <Link to="/work" search={{ person: "nobody", due: "today" }}>
              {plural(free.totalCount, { one: "# order", other: "# orders" })}
            </Link>
          </header>
          <div className="body flush">
            <OrderLines orders={free.nodes} />
          </div>
        </section>
      )}
    </>
  );
}
