/** The jars of a Kafka broker, copied from Maven's repository into the cache, and the Java that runs them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from '../cache-folder.ts';
import { MissingServerError } from '../missing-server.ts';
import { runTool } from '../run-tool.ts';

const POM = join(import.meta.dirname, '../../../../../infra/kafka/test-broker/pom.xml');
const OR_NAME_ONE = 'or name a broker in MANDATE_TEST_KAFKA_BROKERS';
const OLDEST_JAVA = 17;

export type KafkaJars = {
  /** The version, such as `Apache Kafka 4.4.0 on Java 17`. */
  readonly what: string;
  readonly version: string;
  /** The major version of Java. */
  readonly java: number;
  readonly classpath: string;
};

let found: Promise<KafkaJars> | undefined;

/** @throws MissingServerError if Java is missing, or if Maven is missing and cannot fetch the jars */
export function installedKafka(): Promise<KafkaJars> {
  found ??= install();
  return found;
}

async function install(): Promise<KafkaJars> {
  const java = await javaVersion();
  const version = /<kafka\.version>(.+?)</.exec(await readFile(POM, 'utf8'))?.[1] ?? 'unknown';
  const folder = await cachedFolder(`kafka-${version}`, async (into) => {
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${into}`];
    await runTool('mvn', ['--quiet', '--batch-mode', '--file', POM, ...goal], {
      orInstall: `install maven, ${OR_NAME_ONE}`,
    });
  });
  return {
    what: `Apache Kafka ${version} on Java ${java}`,
    version,
    java,
    classpath: join(folder, '*'),
  };
}

async function javaVersion(): Promise<number> {
  const orInstall = `install a Java runtime, ${OLDEST_JAVA} or later, ${OR_NAME_ONE}`;
  const said = await runTool('java', ['--version'], { orInstall });
  const version = Number.parseInt(/\s(\d+)/.exec(said)?.[1] ?? '', 10);
  if (!(version >= OLDEST_JAVA))
    throw new MissingServerError(`this Java is too old: ${orInstall}. It said: ${said}`);
  return version;
}
