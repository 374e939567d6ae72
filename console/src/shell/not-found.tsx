import { Link } from "@tanstack/react-router";
import { MapPinOff } from "lucide-react";
import { Empty } from "../parts/states.js";

export const NotFound = () => (
  <Empty
    icon={MapPinOff}
    title="Page not found"
    action={
      <Link className="button" to="/">
        Open the plant
      </Link>
    }
  />
);
