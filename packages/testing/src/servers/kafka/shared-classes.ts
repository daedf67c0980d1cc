/**
 * An archive of the classes that a broker loads, which the JVM maps instead of reading and checking each: a broker that has
 * it starts on two thirds of the processor's time. The first broker on a machine tells which they are. The JVM goes without
 * where the archive is of another Java, or of other jars.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder, folderInCache } from '../cache-folder.ts';
import { runTool } from '../run-tool.ts';

const ARCHIVE = 'classes.jsa';

let isTold = false;

/**
 * @param jvm the flags of every broker
 * @param start a broker, with these flags more
 */
export async function withSharedClasses<T>(
  kafka: { version: string; classpath: string; java: number },
  { jvm, folder }: { jvm: readonly string[]; folder: string },
  start: (flags: readonly string[]) => Promise<T>,
): Promise<T> {
  const name = `kafka-${kafka.version}-classes-java-${kafka.java}`;
  const shared = folderInCache(name);
  if (shared !== null) return start([`-XX:SharedArchiveFile=${join(shared, ARCHIVE)}`]);
  if (isTold) return start([]);
  isTold = true;
  const classes = join(folder, 'classes.lst');
  const started = await start([`-XX:DumpLoadedClassList=${classes}`]);
  await cachedFolder(name, async (into) => {
    const list = join(into, 'classes.lst');
    // As it is now: the broker goes on adding to it.
    await copyFile(classes, list);
    const dump = [
      '-Xshare:dump',
      `-XX:SharedClassListFile=${list}`,
      `-XX:SharedArchiveFile=${join(into, ARCHIVE)}`,
    ];
    await runTool('java', [...jvm, ...dump, '-cp', kafka.classpath], {
      orInstall: 'its classes cannot be archived',
    });
  }).catch(() => {
    // Slower, and no worse.
  });
  return started;
}
