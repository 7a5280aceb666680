import { runCommand } from '../figures/command.js';
import { tellAll } from '../figures/report.js';
import type { TrustFigure } from './figure.js';
import { detection } from './figures/detection.js';
import { falseVerdicts } from './figures/false-verdicts.js';
import { outage } from './figures/outage.js';
import { replicas } from './figures/replicas.js';
import { shadow } from './figures/shadow.js';
import { thresholds } from './figures/thresholds.js';
import { readOptions, USAGE } from './options.js';

const FIGURES: readonly TrustFigure[] = [thresholds, shadow, falseVerdicts, detection, replicas, outage];

process.exitCode = await runCommand({
  usage: USAGE,
  read: (args) => readOptions(args, FIGURES),
  run: ({ figures, real, atOnce }) => tellAll(figures, (progress) => ({ real, progress }), { atOnce }),
});
