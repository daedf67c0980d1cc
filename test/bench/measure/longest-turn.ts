/**
 * Returns the most CPU time, in ms, of one turn of the event loop during the work. Other work of the process had to
 * wait that long. Wall-clock time would also depend on other processes.
 */
export async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longestMs = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const turned = () => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    before = process.threadCpuUsage();
    if (!isOver) setImmediate(turned);
  };
  setImmediate(turned);
  await work().finally(() => {
    isOver = true;
  });
  return longestMs;
}
