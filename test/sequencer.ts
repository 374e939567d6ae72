import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Runs the projects one after another, so that a worker changes its project, and imports everything again, only a few times. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name);
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => order.indexOf(one.project.name) - order.indexOf(other.project.name));
  }
}
