/** Calls functions when the process exits. A function cannot wait for anything. All functions share one listener. */
const functions = new Set<() => void>();

/** @returns a function that removes `work` again */
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
