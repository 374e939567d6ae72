/** Runs calls one at a time: a connection, or a savepoint in it, can run only one statement at a time. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private ended = false;

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.ended ? Promise.reject(new Error("The transaction of this statement is over")) : this.append(work);
  }

  /** Runs the last call. Later ones are refused: the connection may serve another transaction by then. */
  end<T>(work: () => Promise<T>): Promise<T> {
    this.ended = true;
    return this.append(work);
  }

  private append<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => {});
    return result;
  }
}
