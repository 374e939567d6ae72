import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Runs the projects one after another, because a worker that changes its project must import everything again. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = this.ctx.projects.map(({ name }) => name);
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => order.indexOf(one.project.name) - order.indexOf(other.project.name));
  }
}
