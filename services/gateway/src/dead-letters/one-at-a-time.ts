/** Runs work with the same name one after the other, so that later work sees the effects of earlier work. */
export type OneAtATime = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function oneAtATime(): OneAtATime {
  const newest = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = newest.get(name);
    const mine = (before ?? Promise.resolve()).catch(() => {}).then(work);
    newest.set(name, mine);
    try {
      return await mine;
    } finally {
      if (newest.get(name) === mine) newest.delete(name);
    }
  };
}
