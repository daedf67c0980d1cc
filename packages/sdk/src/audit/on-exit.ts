/** Calls functions when the process exits. A function cannot wait for anything. One listener serves all of them. */
const functions = new Set<() => void>();

/** @returns a function that forgets `work` */
export function onExit(work: () => void): () => void {
  if (functions.size === 0) process.on('exit', callAll);
  functions.add(work);
  return () => {
    functions.delete(work);
    if (functions.size === 0) process.off('exit', callAll);
  };
}

function callAll(): void {
  for (const work of [...functions]) work();
}
