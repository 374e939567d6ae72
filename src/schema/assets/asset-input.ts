/** Input of new and changed assets (docs/interface.md 2.1). */
import { Field, InputType } from "type-graphql";
import { DateTime, Name, Place, ShortText, StringMap, Text } from "../scalars.js";
import { AssetStatus } from "./enums.js";

@InputType()
class AssetFields {
  @Field(() => Name, {
    nullable: true,
    description:
      "Id in another system, used by imports to find the record. Fails with CONFLICT unless it is unique among the tenant's assets that are not deleted.",
  })
  externalId?: string | null;

  @Field(() => Text, { nullable: true, description: "Free text." })
  description?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Location as free text." })
  location?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Category for grouping, any value." })
  category?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Criticality, in the tenant's own terms." })
  criticality?: string | null;

  @Field(() => AssetStatus, {
    nullable: true,
    description: "Operating status. Any status may follow any other. Default on creation: OPERATIONAL. Must not be null on update.",
  })
  status?: AssetStatus | null;

  @Field(() => ShortText, { nullable: true, description: "Manufacturer of the equipment." })
  manufacturer?: string | null;

  @Field(() => ShortText, { nullable: true, description: "Model designation of the manufacturer." })
  model?: string | null;

  @Field(() => ShortText, {
    nullable: true,
    description: "Serial number. Fails with CONFLICT unless it is unique among assets that are not deleted. Blank means none.",
  })
  serialNumber?: string | null;

  @Field(() => Place, {
    nullable: true,
    description: "Site of the asset. Default: no site. Keys limited to sites must name one of their own.",
  })
  site?: string | null;

  @Field(() => Place, { nullable: true, description: "Area within the site. Default: none." })
  area?: string | null;

  @Field(() => DateTime, { nullable: true, description: "Date of installation." })
  installationDate?: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: "Time since which downtimes are recorded completely. Reliability figures start then, but not before `installationDate`.",
  })
  historyCompleteSince?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Date of the last maintenance. Completed work orders do not change it." })
  lastMaintenanceDate?: Date | null;

  @Field(() => DateTime, { nullable: true, description: "Date of the next maintenance. Due dates of procedures do not change it." })
  nextMaintenanceDate?: Date | null;

  @Field(() => StringMap, { nullable: true, description: "Custom names and values. Replaced as a whole on update." })
  customFields?: Record<string, string> | null;
}

@InputType({ description: "New asset." })
export class CreateAssetInput extends AssetFields {
  @Field(() => Name, { description: "Name shown in lists. Need not be unique." })
  name!: string;

  @Field(() => Name, { description: "Kind of equipment, any value, e.g. pump. Strategies are assigned by type." })
  type!: string;
}

@InputType({ description: "Values to change. Omitted fields stay unchanged. Null clears an optional field." })
export class UpdateAssetInput extends AssetFields {
  @Field(() => Name, { nullable: true, description: "Name shown in lists. Must not be null." })
  name?: string | null;

  @Field(() => Name, { nullable: true, description: "Kind of equipment, any value. Must not be null." })
  type?: string | null;
}
