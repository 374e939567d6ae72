import { t } from "@lingui/core/macro";
import { Link } from "@tanstack/react-router";
import { MapPinOff } from "lucide-react";
import { Empty } from "../parts/states.js";

export const NotFound = () => (
  <Empty
    icon={MapPinOff}
    title={t`Page not found`}
    action={
      <Link className="button" to="/">
        {t`Open the home page`}
      </Link>
    }
  />
);
