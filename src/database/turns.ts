/** Runs one after another what is asked for at once: a connection, and a savepoint in it, takes one thing at a time. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private over = false;

  take<T>(work: () => Promise<T>): Promise<T> {
    return this.over ? Promise.reject(new Error("The transaction of this statement is over")) : this.queue(work);
  }

  /** The last turn: what comes later belongs to nothing any more, and must not run on a connection that is another's. */
  end<T>(work: () => Promise<T>): Promise<T> {
    this.over = true;
    return this.queue(work);
  }

  private queue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(work);
    this.last = turn.catch(() => {});
    return turn;
  }
}
