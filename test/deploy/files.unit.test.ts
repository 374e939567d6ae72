/**
 * Deployment files, checked as far as possible without a container engine: they are well-formed and consistent with the service and each
 * other.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Job } from "kubernetes-models/batch/v1";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Secret, Service, ServiceAccount } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { root } from "../../scripts/stale.mjs";
import { type Config, readConfig, secretSettings } from "../../src/config.js";
import { instructions, mistakes } from "./dockerfile.js";

const text = (path: string) => readFileSync(join(root, path), "utf8");
const defaults = readConfig({});

/** The names in the first column of the table of settings. */
const settings = new Set(
  [...text("docs/settings.md").matchAll(/^\| (`[A-Z][^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  ),
);
/** Settings of Node.js and the C library, not of the service. */
const others = ["MALLOC_ARENA_MAX", "TMPDIR"];
const isSetting = (name: string) => settings.has(name) || others.includes(name);

/** Asserts that the names are settings and that the service accepts the values. `files` maps the path of a file to its location here. */
function accepted(environment: Record<string, string>, files: (path: string) => string = (path) => path): Config {
  expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
  const values = Object.entries(environment).map(([name, value]) => [name, name.endsWith("_FILE") ? files(value) : value]);
  return readConfig(Object.fromEntries(values));
}

it("docs/settings.md has each setting, and no other", () => {
  const names = [...text("src/config.ts").matchAll(/^ {4}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(80);
  expect([...settings].sort()).toEqual([...new Set([...names, ...secretSettings.map((name) => `${name}_FILE`)])].sort());
});

it("the settings are found", () => expect([...settings]).toEqual(expect.arrayContaining(["PORT", "DATABASE_URL_FILE", "S3_REGION"])));

it("docs/operations/monitor.md explains each reason and warning of the service, and no other", () => {
  const codes = ["src/server/health.ts", "src/database/watch/readiness.ts", "src/background/scheduler-state.ts", "src/execution/errors.ts"]
    .flatMap((path) => [...text(path).matchAll(/(?:code|ENOSPC|EROFS): "([A-Z]+_?[A-Z_]+)"/g)])
    .map(([, code]) => code!)
    .filter((code) => /^(DATABASE|DISK|SCHEDULER)_|^(MIGRATIONS_MISSING|VERSION_TOO_OLD|STOPPING)$/.test(code));
  const page = text("docs/operations/monitor.md");
  const explained = [...page.matchAll(/`((?:DATABASE|DISK|SCHEDULER)_(?:[A-Z]+_?)+|MIGRATIONS_MISSING|VERSION_TOO_OLD|STOPPING)`/g)];
  expect(codes.length).toBeGreaterThan(10);
  expect([...new Set(explained.map(([, code]) => code!).filter((code) => !isSetting(code)))].sort()).toEqual([...new Set(codes)].sort());
});

describe("Dockerfile", () => {
  const dockerfile = text("Dockerfile");
  const last = instructions(dockerfile).at(-1)!;

  it("passes the linter", () => expect(mistakes(dockerfile)).toEqual([]));

  it("runs the service as an unprivileged user, without a shell or npm in between", () => {
    const of = (keyword: string) => last.steps.filter((step) => step.keyword === keyword);
    expect(of("CMD").map(({ command }) => command)).toEqual([["node", "dist/server.js"]]);
    expect(of("ENTRYPOINT")).toEqual([]);
    const [user] = of("USER");
    expect(user!.words).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    expect(of("STOPSIGNAL")[0]!.words).toEqual(["SIGTERM"]);
    expect(of("HEALTHCHECK")[0]!.command!.slice(0, 2)).toEqual(["node", "-e"]);
    expect(of("HEALTHCHECK")[0]!.command![2]).toContain("/health");
    expect(of("EXPOSE")[0]!.words).toEqual([String(defaults.PORT)]);
    expect(of("RUN")).toEqual([]);
  });

  it("sets only settings, and writes only to volumes", () => {
    const environment = Object.assign({}, ...last.steps.map((step) => step.environment ?? {}));
    accepted(environment);
    expect(environment.MALLOC_ARENA_MAX).toBe("2");
    expect(last.steps.find(({ keyword }) => keyword === "VOLUME")!.command).toEqual([environment.DATA_DIR]);
    expect(environment.HOST).toBe("0.0.0.0");
  });

  it("has one Node.js in all stages, which package.json accepts", () => {
    const images = [...new Set(instructions(dockerfile).map(({ image }) => image))];
    expect(images).toHaveLength(1);
    const [, major] = /^node:(\d+)-bookworm-slim$/.exec(images[0]!)!;
    expect(Number(major)).toBeGreaterThanOrEqual(20);
  });

  it("copies only existing files, and no secret or built file", () => {
    const lines = text(".dockerignore")
      .split("\n")
      .filter((line) => line && !line.startsWith("#"));
    expect(lines[0]).toBe("*");
    const taken = lines.flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
    expect(taken.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(taken.filter((path) => /node_modules|dist|data|\.env|\.git/.test(path))).toEqual([]);
  });
});

describe("compose.yaml", () => {
  // Substitutes `${NAME:?…}` and `${NAME}` as compose does.
  const example = Object.fromEntries([...text("deploy/compose.env.example").matchAll(/^(\w+)=/gm)].map(([, name]) => [name!, "secret"]));
  const missing: string[] = [];
  const filled = text("compose.yaml").replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name) => {
    if (!(name in example)) missing.push(name);
    return name === "SECRETS_KEY" ? Buffer.alloc(32).toString("base64") : "secret";
  });
  const { services, volumes, configs } = parse(filled, { merge: true });
  const gateways = Object.entries<any>(services).filter(([name]) => name.startsWith("gateway-"));

  it("lists in deploy/compose.env.example all required values", () => {
    expect(missing).toEqual([]);
    expect(Object.keys(example).filter((name) => !text("compose.yaml").includes(`\${${name}:?`))).toEqual([]);
  });

  it("has all required services, in fixed versions", () => {
    const names = ["bucket", "gateway-1", "gateway-2", "grafana", "postgresql", "prometheus", "proxy", "s3"];
    expect(Object.keys(services).sort()).toEqual(names);
    for (const { image, build } of Object.values<any>(services)) if (!build) expect(image).toMatch(/:v?\d+\.?\d*/);
  });

  it("gives the gateways valid settings, and each its own copy of what they cannot share", () => {
    expect(gateways).toHaveLength(2);
    for (const [, gateway] of gateways) {
      const config = accepted(gateway.environment);
      expect(config.S3_BUCKET).toBe("photos");
      expect(gateway).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
    }
    const [one, two] = gateways.map(([, { volumes: own }]) => own);
    expect(one).not.toEqual(two);
  });

  it("names existing services, volumes, configurations and files", () => {
    for (const [name, service] of Object.entries<any>(services)) {
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {});
      expect(Object.keys(services), name).toEqual(expect.arrayContaining(needed));
      for (const needs of Object.entries<any>(service.depends_on ?? {}))
        if (needs[1].condition === "service_healthy" && !needs[0].startsWith("gateway"))
          expect(services[needs[0]].healthcheck).toBeDefined();
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(":");
        if (source.startsWith("./")) expect(existsSync(join(root, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
      for (const { source } of service.configs ?? []) expect(Object.keys(configs)).toContain(source);
      for (const port of service.ports ?? []) expect(port, name).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
    expect(JSON.parse(configs.s3.content).identities[0].credentials[0].secretKey).toBe("secret");
  });

  it("routes through the proxy and Prometheus to the gateways", () => {
    const proxied = [...text("deploy/nginx.conf").matchAll(/server ([\w-]+):(\d+)/g)].map(([, name, port]) => [name, Number(port)]);
    expect(proxied).toEqual(gateways.map(([name]) => [name, defaults.PORT]));
    const { scrape_configs, rule_files } = parse(text("deploy/prometheus/prometheus.yml"));
    const ports = gateways.map(([name, { environment }]) => `${name}:${environment.METRICS_PORT}`);
    expect(scrape_configs[0].static_configs[0].targets).toEqual(ports);
    expect(rule_files).toEqual(["alerts*.yaml"]);
    const { datasources } = parse(text("deploy/grafana/provisioning/datasources/prometheus.yaml"));
    expect(datasources[0].url).toBe("http://prometheus:9090");
    const { providers } = parse(text("deploy/grafana/provisioning/dashboards/files.yaml"));
    expect(services.grafana.volumes).toContain(`./deploy/grafana:${providers[0].options.path}:ro`);
  });
});

describe("Kubernetes", () => {
  const folder = "deploy/kubernetes";
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".yaml"));
  const documents = files.flatMap((name) =>
    parseAllDocuments(text(`${folder}/${name}`)).map((document) => {
      expect(document.errors, name).toEqual([]);
      return { file: name, ...document.toJS() };
    }),
  );
  const of = (kind: string) => documents.filter((document) => document.kind === kind);
  const [deployment] = of("Deployment");
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const label = { "app.kubernetes.io/name": "maintenance-gateway" };

  it("follows Kubernetes' schemas", () => {
    const kinds = [
      ConfigMap,
      Deployment,
      HorizontalPodAutoscaler,
      Job,
      NetworkPolicy,
      PodDisruptionBudget,
      Secret,
      Service,
      ServiceAccount,
    ];
    const known = new Map(kinds.map((Kind) => [Kind.name, Kind as new (data: any) => { apiVersion: string; validate(): void }]));
    for (const { file, ...document } of documents.filter(({ kind }) => kind !== "Kustomization")) {
      const Kind = known.get(document.kind);
      expect(Kind, file).toBeDefined();
      expect(() => new Kind!(document).validate(), file).not.toThrow();
      expect(document.apiVersion, file).toBe(new Kind!({}).apiVersion);
    }
  });

  it("has every file in the kustomization except the example secret and one-time resources", () => {
    const [{ resources }] = of("Kustomization");
    expect([...resources, "kustomization.yaml", "migrate-job.yaml", "secret.example.yaml"].sort()).toEqual(files.sort());
  });

  it("selects the pods by their labels, everywhere", () => {
    expect(deployment.spec.template.metadata.labels).toEqual(label);
    expect(deployment.spec.selector.matchLabels).toEqual(label);
    for (const service of of("Service")) expect(service.spec.selector).toEqual(label);
    expect(of("PodDisruptionBudget")[0].spec.selector.matchLabels).toEqual(label);
    expect(of("NetworkPolicy")[0].spec.podSelector.matchLabels).toEqual(label);
    expect(of("HorizontalPodAutoscaler")[0].spec.scaleTargetRef).toEqual({
      apiVersion: deployment.apiVersion,
      kind: "Deployment",
      name: deployment.metadata.name,
    });
    expect(pod.serviceAccountName).toBe(of("ServiceAccount")[0].metadata.name);
  });

  it("names ports of the service", () => {
    const [{ data }] = of("ConfigMap");
    const ports = Object.fromEntries(container.ports.map((port: any) => [port.name, port.containerPort]));
    expect(ports).toEqual({ http: defaults.PORT, metrics: Number(data.METRICS_PORT) });
    const named = [
      ...["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.port),
      ...of("Service").flatMap(({ spec }) => spec.ports.map(({ targetPort }: any) => targetPort)),
      ...of("NetworkPolicy")[0].spec.ingress.flatMap((rule: any) => rule.ports.map(({ port }: any) => port)),
    ];
    expect(named.filter((name) => !(name in ports))).toEqual([]);
  });

  it("probes liveness and readiness", () => {
    const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.path);
    expect(paths).toEqual(["/health", "/health", "/ready"]);
  });

  it("sets valid settings, and mounts each file that a setting names", () => {
    const [{ data }] = of("ConfigMap");
    const [{ stringData }] = of("Secret");
    const [secrets] = container.volumeMounts.filter(({ name }: any) => name === "secrets");
    const mounted = mkdtempSync(join(tmpdir(), "gateway-deploy-"));
    try {
      for (const [name, value] of Object.entries<string>(stringData)) writeFileSync(join(mounted, name), value);
      const config = accepted(data, (path) => path.replace(secrets.mountPath, mounted));
      expect(config.DATABASE_URL).toBe(stringData["database-url"]);
      expect(existsSync(config.SECRETS_KEY_FILE!)).toBe(true);
    } finally {
      rmSync(mounted, { recursive: true, force: true });
    }
    const volumes = pod.volumes.map(({ name }: any) => name);
    expect(container.volumeMounts.map(({ name }: any) => name).filter((name: string) => !volumes.includes(name))).toEqual([]);
  });

  it("runs as the image's user, writes only to its volumes, and has time to shut down", () => {
    const user = instructions(text("Dockerfile"))
      .at(-1)!
      .steps.find(({ keyword }) => keyword === "USER")!.words[0];
    const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = pod.securityContext;
    expect({ runAsNonRoot, seccompProfile }).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(`${runAsUser}:${runAsGroup}`).toBe(user);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const seconds = Number(container.lifecycle.preStop.exec.command[1]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 10);
    const { securityContext, volumes, containers } = of("Job")[0].spec.template.spec;
    const [{ image, envFrom, volumeMounts, securityContext: own }] = containers;
    expect({ securityContext, volumes }).toEqual({ securityContext: pod.securityContext, volumes: pod.volumes });
    const { image: its, envFrom: from, volumeMounts: mounts, securityContext: closed } = container;
    expect({ image, envFrom, volumeMounts, own }).toEqual({ image: its, envFrom: from, volumeMounts: mounts, own: closed });
    // Otherwise the Service would send requests to the job.
    expect(of("Job")[0].spec.template.metadata.labels).not.toEqual(label);
    expect(container.image).toBe(`maintenance-gateway:${JSON.parse(text("package.json")).version}`);
  });
});

describe("systemd", () => {
  const file = "deploy/systemd/maintenance-gateway.service";
  const lines = text(file).split("\n");
  const values = (name: string) => lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

  it("sets valid settings", () => {
    const pairs = [
      ...values("Environment").flatMap((line) => line.split(" ")),
      ...text("deploy/systemd/environment.example")
        .split("\n")
        .filter((line) => line && !line.startsWith("#")),
    ];
    const environment = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    const credentials = values("LoadCredential").map((line) => line.split(":")[0]!);
    const folder = mkdtempSync(join(tmpdir(), "gateway-deploy-"));
    try {
      for (const name of credentials) writeFileSync(join(folder, name), "postgresql://gateway@127.0.0.1/gateway");
      const config = accepted(environment, (path) => path.replace("%d", folder));
      expect(config.DATABASE_URL).toBe("postgresql://gateway@127.0.0.1/gateway");
      expect(config.DATA_DIR).toBe(`/var/lib/${values("StateDirectory")[0]}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    expect(values("ExecStart")).toEqual([expect.stringMatching(/^\/usr\/bin\/node .*\/dist\/server\.js$/)]);
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(10);
  });

  const hasSystemd = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].some(existsSync);
  it.skipIf(!hasSystemd)("is a unit that systemd accepts, and that its security analysis rates as closed", () => {
    const analyze = (...args: string[]) => spawnSync("systemd-analyze", [...args, join(root, file)], { encoding: "utf8" });
    const complaints = analyze("verify").stderr.split("\n");
    expect(complaints.filter((line) => line.includes("maintenance-gateway.service:") && !line.includes("is not executable"))).toEqual([]);
    const report = analyze("security", "--offline=true", "--no-pager").stdout;
    expect(Number(/Overall exposure level for \S+: (\d+\.\d+)/.exec(report)![1])).toBeLessThan(2);
  });
});
