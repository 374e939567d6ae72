import { Link } from "@tanstack/react-router";
import { MapPinOff } from "lucide-react";
import { Empty } from "../parts/states.js";

export const NotFound = () => (
  <Empty
    icon={MapPinOff}
    title="There is nothing at this address"
    action={
      <Link className="button" to="/">
        To the plant
      </Link>
    }
  />
);
