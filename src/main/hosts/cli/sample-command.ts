import { writeSample } from '../../sample/write-sample.ts';
import { EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';

export async function sampleCommand(dir: string, output: Output): Promise<number> {
  const { repository, tickets } = await writeSample(dir);
  output.data({ type: 'sample', repository, tickets });
  output.say(`The sample is at ${repository}, its tickets at ${tickets}.`);
  output.say(`Run them: headway run --repo ${repository} --tickets ${tickets}`);
  return EXIT.ok;
}
