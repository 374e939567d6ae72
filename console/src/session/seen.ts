/** Versions of the records that the console has read, so that a change it already shows does not reload a page. */
const mostRecords = 20_000;

export class Seen {
  private readonly versions = new Map<string, number>();

  /** Notes the versions in the data of a result. */
  note(data: unknown): void {
    if (typeof data !== "object" || data === null) return;
    const { id, version } = data as { id?: unknown; version?: unknown };
    if (typeof id === "string" && typeof version === "number") {
      if (this.versions.size >= mostRecords) this.versions.clear();
      this.versions.set(id, Math.max(version, this.versions.get(id) ?? 0));
    }
    for (const value of Object.values(data)) this.note(value);
  }

  /** Changes of parts of a record have no version, and count as unseen. */
  has({ recordId, version }: { recordId: string; version: number | null }): boolean {
    return version !== null && (this.versions.get(recordId) ?? 0) >= version;
  }
}
