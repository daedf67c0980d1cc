/** Work of one name waits for the work of that name before it, so that each sees what the last one left. */
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
