/** Pages, which are commands too, and actions that start from anywhere. */
import { t } from "@lingui/core/macro";
import type { NavigateOptions } from "@tanstack/react-router";
import {
  Bell,
  CalendarClock,
  CalendarDays,
  ChartColumn,
  ClipboardCheck,
  ClipboardList,
  ClipboardPlus,
  Factory,
  House,
  ListPlus,
  type LucideIcon,
  Package,
  PackagePlus,
  PackageX,
  Replace,
  Settings2,
  ShoppingCart,
  TriangleAlert,
  UserCheck,
  Wrench,
} from "lucide-react";
import type { Field } from "../session/fields.js";

interface Place {
  to:
    | "/"
    | "/plant"
    | "/work"
    | "/calendar"
    | "/alerts"
    | "/stock"
    | "/units"
    | "/recalls"
    | "/purchases"
    | "/procedures"
    | "/reports"
    | "/admin";
  label: string;
  icon: LucideIcon;
  /** Any of these. */
  needs: Field[];
  /** Path of further pages under the entry. */
  also?: string;
  /** On a phone the entry is under "More". */
  isMinor?: boolean;
}

export const places: Place[] = [
  { to: "/", label: t`Home`, icon: House, needs: ["assets"] },
  { to: "/plant", label: t`Plant`, icon: Factory, needs: ["assets"] },
  { to: "/work", label: t`Work`, icon: ClipboardList, needs: ["workOrders", "reportFault"] },
  { to: "/calendar", label: t`Calendar`, icon: CalendarDays, needs: ["workOrders"], isMinor: true },
  { to: "/alerts", label: t`Alerts`, icon: Bell, needs: ["notifications"] },
  { to: "/stock", label: t`Stock`, icon: Package, needs: ["inventory"] },
  { to: "/units", label: t`Workshop`, icon: Wrench, needs: ["units"], isMinor: true },
  { to: "/recalls", label: t`Recalls`, icon: PackageX, needs: ["recalls"], isMinor: true },
  { to: "/purchases", label: t`Purchases`, icon: ShoppingCart, needs: ["purchaseOrders"], also: "/suppliers", isMinor: true },
  { to: "/procedures", label: t`Procedures`, icon: CalendarClock, needs: ["procedures"], isMinor: true },
  { to: "/reports", label: t`Reports`, icon: ChartColumn, needs: ["workOrders"], isMinor: true },
  { to: "/admin", label: t`Administration`, icon: Settings2, needs: ["importAssets"], isMinor: true },
];

export interface Command {
  label: string;
  icon: LucideIcon;
  /** Any of these. */
  needs: Field[];
  to: NavigateOptions;
  /** The command asks for a record of this type, whose id completes the address. */
  on?: "PART" | "COMPONENT";
}

const commands: Command[] = [
  { label: t`New work order`, icon: ClipboardPlus, needs: ["createWorkOrder"], to: { to: "/work/new" } },
  { label: t`New purchase order`, icon: ShoppingCart, needs: ["createPurchaseOrder"], to: { to: "/purchases/new" } },
  { label: t`New procedure`, icon: ListPlus, needs: ["createProcedure"], to: { to: "/procedures/new" } },
  { label: t`Report a fault`, icon: TriangleAlert, needs: ["reportFault"], to: { to: "/report" } },
  { label: t`My day`, icon: UserCheck, needs: ["assignWorkOrder"], to: { to: "/work", search: { person: "me" } } },
  {
    label: t`Receive stock`,
    icon: PackagePlus,
    needs: ["receiveStock"],
    to: { to: "/stock/$id", search: { act: "receive" } },
    on: "PART",
  },
  {
    label: t`Exchange unit`,
    icon: Replace,
    needs: ["exchangeUnit"],
    to: { to: "/component/$id", search: { act: "exchange" } },
    on: "COMPONENT",
  },
  { label: t`Stock counts`, icon: ClipboardCheck, needs: ["recordCount"], to: { to: "/stock", search: { view: "counts" } } },
  ...places.map(({ to, label, icon, needs }): Command => ({ label: t`Go to ${label}`, icon, needs, to: { to } })),
];

/** The commands with words that begin with all typed words. Without text, all commands. */
export function commandsFor(text: string, can: (field: Field) => boolean): Command[] {
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, needs }) => {
    const words = label.toLowerCase().split(" ");
    return needs.some(can) && typed.every((one) => words.some((word) => word.startsWith(one)));
  });
}
