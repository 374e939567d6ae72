/** The catalogue of the demo data: sites, areas, parts and asset types. plant.ts generates assets from it. */

export type Criticality = "low" | "medium" | "high" | "critical";
type Interval = "weekly" | "monthly" | "quarterly" | "semi-annual" | "annual";
type Spec = string | number | readonly string[] | readonly number[];
/** Parts by component name. A name ending in "×4" makes four numbered components. */
export type Parts = Readonly<Record<string, Part>>;

/** Makes are "manufacturer: model", separated by bars. A list in specs has one entry per make. */
export interface Part {
  type: string;
  criticality: Criticality;
  description?: string;
  interval?: Interval;
  makes?: string;
  specs?: Readonly<Record<string, Spec>>;
  parts?: Parts;
}

/** Rows are "manufacturer: model | one value per column". Columns and `fields` become customFields. */
export interface AssetType {
  type: string;
  tag: string;
  /** Number of assets of this type per 40 assets. The whole catalogue has 40 assets with 600 components. */
  perForty: number;
  category: string;
  criticality: Criticality;
  serviceDays: number;
  description: string;
  columns: string;
  rows: readonly string[];
  fields: Readonly<Record<string, string>>;
  where: Readonly<Partial<Record<AreaKey, string>>>;
  parts: Parts;
}

export const areas = {
  syrup: { site: "Rotterdam Bottling", area: "Syrup Room", location: "Building A, level 1" },
  filling: { site: "Rotterdam Bottling", area: "Filling Hall", location: "Building B, ground floor" },
  packing: { site: "Rotterdam Bottling", area: "Packing Hall", location: "Building C, ground floor" },
  energy: { site: "Rotterdam Bottling", area: "Energy Centre", location: "Building E, ground floor" },
  intake: { site: "Aarhus Dairy", area: "Milk Intake", location: "Building 1, tanker bay" },
  pasteur: { site: "Aarhus Dairy", area: "Pasteurisation", location: "Building 2, level 1" },
  cold: { site: "Aarhus Dairy", area: "Cold Store", location: "Building 4, ground floor" },
  boiler: { site: "Aarhus Dairy", area: "Boiler House", location: "Building 6, ground floor" },
  reactor: { site: "Antwerp Chemicals", area: "Reactor Hall", location: "Block R, level 2" },
  tanks: { site: "Antwerp Chemicals", area: "Tank Farm", location: "Yard T, bund 3" },
  drying: { site: "Antwerp Chemicals", area: "Drying and Bagging", location: "Block D, level 3" },
  effluent: { site: "Antwerp Chemicals", area: "Effluent Treatment", location: "Yard W, basin 1" },
} as const;
export type AreaKey = keyof typeof areas;

/** Display names and codes of the sites, in display order. */
export const sites: Record<(typeof areas)[AreaKey]["site"], { displayName: string; code: string }> = {
  "Rotterdam Bottling": { displayName: "Rotterdam bottling plant", code: "RTM" },
  "Aarhus Dairy": { displayName: "Aarhus dairy", code: "AAR" },
  "Antwerp Chemicals": { displayName: "Antwerp chemical works", code: "ANR" },
};

const part = (type: string, criticality: Criticality, interval: Interval, makes: string, specs: Part["specs"], parts?: Parts): Part => ({
  type,
  criticality,
  interval,
  makes,
  specs,
  ...(parts && { parts }),
});
const group = (type: string, criticality: Criticality, description: string, parts: Parts): Part => ({
  type,
  criticality,
  description,
  parts,
});

// Wearing and rotating parts
const bearing = part("Bearing", "high", "semi-annual", "SKF: 6309-2Z/C3 | Schaeffler FAG: 6311-C3 | NSK: 6313ZZC3", {
  bore_mm: [45, 55, 65],
  outer_mm: [100, 120, 140],
  grease: "lithium complex, NLGI 2",
});
const smallBearing = part("Bearing", "medium", "annual", "SKF: 6205-2RSH | Schaeffler FAG: 6204-2RSR | NSK: 6206DDU", {
  bore_mm: [25, 20, 30],
  outer_mm: [52, 47, 62],
  grease: "sealed for life",
});
const rollerBearing = part("Bearing", "high", "semi-annual", "SKF: 22212 E | Timken: 22214EJW33 | NSK: 22216EAE4", {
  bore_mm: [60, 70, 80],
  outer_mm: [110, 125, 140],
  grease: "lithium complex, NLGI 2",
});
const lipSeal = part("Seal", "medium", "annual", "Freudenberg: BAUM5X7 | Trelleborg: TRA | SKF: HMSA10", {
  shaft_mm: [45, 50, 55],
  elastomer: ["FKM", "NBR", "NBR"],
});
const sealFaces = part("Seal face", "high", "annual", "EagleBurgmann: Q1Q1 kit | John Crane: SiC-SiC kit | Flowserve: SiC-C kit", {
  rotating: "silicon carbide",
  stationary: ["silicon carbide", "silicon carbide", "carbon"],
});
const mechanicalSeal = part(
  "Seal",
  "critical",
  "semi-annual",
  "EagleBurgmann: MG1 | John Crane: Type 2100 | Flowserve: Europac 600",
  { shaft_mm: [33, 38, 43], elastomer: ["EPDM", "FKM", "EPDM"], max_bar: [16, 12, 12] },
  { "Seal faces": sealFaces },
);
const coupling = part("Coupling", "medium", "annual", "Flender: N-EUPEX B 125 | KTR: ROTEX 42 | Rexnord: Omega E10", {
  torque_nm: [240, 450, 430],
  element: "polyurethane",
});
const vBelt = part("Belt", "medium", "quarterly", "Gates: Super HC SPB | Optibelt: SK S=C PLUS | ContiTech: CONTI-V FO", {
  profile: "SPB",
  length_mm: [1800, 2000, 2240],
});
const impeller = part(
  "Impeller",
  "high",
  "annual",
  "KSB: closed, 7 vanes | Grundfos: closed, 5 vanes | Alfa Laval: open, 4 vanes | Sulzer: closed, 6 vanes",
  { diameter_mm: [219, 169, 192, 204], material: "1.4408" },
);
const fanWheel = part("Impeller", "medium", "annual", "Ziehl-Abegg: Cpro 560 | ebm-papst: RadiCal 500 | Nicotra Gebhardt: RLM 630", {
  diameter_mm: [560, 500, 630],
  balancing_grade: "G6.3",
});

// Motors, gears and drives; an asset's own power_kw overrides that of its main drive
const stator = part("Winding", "high", "annual", "ABB: M3BP stator | Siemens: 1LE1 stator | WEG: W22 stator", {
  insulation_class: "F",
  resistance_mohm: [420, 385, 510],
});
const rotor = part(
  "Rotor",
  "high",
  "annual",
  "ABB: M3BP rotor | Siemens: 1LE1 rotor | WEG: W22 rotor",
  { balancing_grade: "G2.5", inertia_kgm2: [0.047, 0.052, 0.061] },
  { "Drive-end bearing": bearing, "Non-drive-end bearing": bearing },
);
const motor = part(
  "Motor",
  "high",
  "semi-annual",
  "ABB: M3BP | Siemens: SIMOTICS GP 1LE1 | WEG: W22 IE3",
  { power_kw: [11, 15, 7.5], voltage: "400 V", speed_rpm: [1475, 1465, 2945], efficiency: ["IE4", "IE3", "IE3"] },
  { "Stator winding": stator, Rotor: rotor },
);
const smallMotor = part(
  "Motor",
  "medium",
  "annual",
  "SEW-Eurodrive: DRN90L4 | Nord: SK 90LH/4 | Lenze: m550-P90",
  { output_kw: [1.5, 1.5, 1.1], voltage: "400 V", speed_rpm: [1461, 1415, 1440] },
  { "Motor bearing": smallBearing },
);
const servo = part("Servo motor", "high", "annual", "Siemens: SIMOTICS S-1FK7 | Bosch Rexroth: MS2N06 | Beckhoff: AM8062", {
  torque_nm: [16, 14.2, 29],
  encoder: ["DRIVE-CLiQ 24 bit", "Hiperface DSL", "OCT"],
});
const gearbox = part(
  "Gearbox",
  "high",
  "semi-annual",
  "SEW-Eurodrive: KA77 | Nord: SK 9032.1 | Flender: SIP 190",
  { ratio: [31.4, 24.6, 40.1], oil: "CLP PG 220", oil_l: [3.7, 5.2, 6.4] },
  { "Output bearing": rollerBearing, "Output seal": lipSeal },
);
const axis = group("Axis", "high", "Servo axis with reduction gear", { "Axis servo": servo, "Axis gearbox": gearbox });
const driveTrain = group("Drive", "high", "Motor and coupling on a common base frame", { Motor: motor, Coupling: coupling });
const gearDrive = group("Drive", "high", "Motor and gearbox with flexible coupling", {
  Motor: motor,
  Gearbox: gearbox,
  Coupling: coupling,
});
const fan = group("Fan", "medium", "Belt-driven fan on vibration dampers", {
  "Fan motor": smallMotor,
  "Fan wheel": fanWheel,
  "Fan belt": vBelt,
});

// Valves and instruments
const positioner = part("Positioner", "medium", "annual", "Samson: TROVIS 3730-1 | Siemens: SIPART PS2 | Emerson: DVC6200", {
  signal: "4–20 mA",
  protocol: ["HART", "PROFIBUS PA", "HART"],
});
const actuator = part(
  "Actuator",
  "medium",
  "annual",
  "Samson: 3277 | Festo: DFPI-100 | Emerson: 657",
  { air_bar: [4, 6, 3.5], fail_position: "closed" },
  { Positioner: positioner },
);
const controlValve = part(
  "Control valve",
  "high",
  "semi-annual",
  "Samson: 3241 | ARI: STEVI Pro 422 | Emerson: easy-e ET",
  { dn: [50, 40, 65], kvs: [40, 25, 63] },
  { Actuator: actuator },
);
const solenoid = part("Solenoid valve", "low", "annual", "Bürkert: 6012 | Festo: VUVG | ASCO: Series 327", {
  coil: "24 V DC",
  orifice_mm: [1.6, 2, 5.7],
});
const processValve = part(
  "Valve",
  "medium",
  "semi-annual",
  "Alfa Laval: LKB | GEA: VARIVENT T-smartFLY | Südmo: SVP 365",
  { dn: [65, 80, 50], elastomer: "EPDM" },
  { "Pilot solenoid": solenoid },
);
const safetyValve = part("Safety valve", "critical", "annual", "Leser: 4414 | ARI: SAFE 901 | Goetze: 851", {
  set_bar: [10, 13, 8],
  dn: [40, 32, 25],
});
const pressure = part("Pressure transmitter", "medium", "annual", "Endress+Hauser: Cerabar PMP51 | Vega: VEGABAR 82 | WIKA: S-20", {
  range_bar: ["0–16", "0–25", "0–10"],
  accuracy_percent: [0.1, 0.2, 0.25],
});
const temperature = part("Temperature sensor", "medium", "annual", "Endress+Hauser: iTHERM TM411 | WIKA: TR10 | JUMO: Dtrans T03", {
  element: "Pt100",
  length_mm: [100, 160, 80],
});
const level = part("Level transmitter", "high", "annual", "Vega: VEGAPULS 64 | Endress+Hauser: Micropilot FMR62 | Krohne: OPTIWAVE 3500", {
  range_m: [30, 80, 50],
  frequency_ghz: 80,
});
const flow = part("Flow meter", "medium", "annual", "Krohne: OPTIFLUX 4300 | Endress+Hauser: Promag H 300 | ABB: ProcessMaster", {
  dn: [50, 65, 80],
  accuracy_percent: [0.2, 0.3, 0.4],
});
const photoEye = part("Photoelectric sensor", "low", "quarterly", "Sick: W12 | Leuze: 46C | Pepperl+Fuchs: R200", {
  range_m: [5, 12, 7],
  output: "PNP",
});
const plc = part("Controller", "high", "annual", "Siemens: SIMATIC S7-1516F | Beckhoff: CX2040 | Rockwell: CompactLogix 5380", {
  firmware: ["2.9.4", "3.1.4024", "34.011"],
});

// Static and auxiliary parts
const airFilter = part("Filter", "medium", "quarterly", "Camfil: Hi-Flo XLT7 | Mann+Hummel: Airpocket Eco | Donaldson: Ultra-Web", {
  class_iso16890: ["ePM1 60%", "ePM1 55%", "ePM10 70%"],
});
const oilFilter = part("Filter", "medium", "quarterly", "Mann+Hummel: W 962 | Hydac: 0160 R | Donaldson: P550", {
  fineness_um: [12, 10, 15],
});
const gasket = part("Gasket", "medium", "annual", "Klinger: top-chem 2000 | Frenzelit: novapress | Trelleborg: EPDM FDA", {
  thickness_mm: [3, 2, 5],
});
const shell = part("Vessel body", "critical", "annual", "", { material: "1.4404", wall_mm: 6, inspection: "internal, every 5 years" });
const coil = part("Heat exchanger", "medium", "annual", "Güntner: S-GHN | Kelvion: KCE | Alfa Laval: Arctigo", {
  rows: [6, 8, 4],
  fin_pitch_mm: [4, 7, 4],
});
const idler = part(
  "Roller",
  "low",
  "quarterly",
  "Interroll: 1700 | Rulmeca: PSV 2 | Sandvik: HM150",
  { diameter_mm: [50, 89, 133] },
  { "Roller bearing": smallBearing },
);
const tripUnit = part("Trip unit", "critical", "annual", "Schneider Electric: Micrologic 5.0X | ABB: Ekip Touch LSI | Siemens: ETU600", {
  protection: "LSI",
});
const breaker = part(
  "Circuit breaker",
  "critical",
  "annual",
  "Schneider Electric: MasterPact MTZ1 | ABB: Emax E1.2 | Siemens: 3WA11",
  { rated_a: [1600, 1250, 1000], breaking_ka: [66, 50, 55] },
  { "Trip unit": tripUnit },
);
const contactSet = part("Contact set", "low", "annual", "Siemens: 3RT2936-6A | Schneider Electric: LA5D | Eaton: DILM-XCT", { poles: 3 });
const contactor = part(
  "Contactor",
  "medium",
  "annual",
  "Siemens: 3RT2036 | Schneider Electric: LC1D50 | Eaton: DILM50",
  { ac3_a: [51, 50, 50], coil: "230 V AC" },
  { "Contact set": contactSet },
);

// Parts specific to one asset type
const explosionVent = part("Explosion vent", "critical", "annual", "Rembe: EGV | Fike: CV-S", { burst_mbar: [100, 120] });
const diaphragm = part(
  "Diaphragm",
  "high",
  "semi-annual",
  "ProMinent: DFMa | Grundfos: DDE PTFE | Lewa: PTFE sandwich | Seko: AMM PTFE",
  { stroke_mm: [5, 6, 10, 4] },
  { "Head gasket": gasket },
);
const lightCurtain = part("Light curtain", "critical", "quarterly", "Sick: deTec4 | Leuze: MLC 510", { height_mm: [1200, 1500] });
const gripper = part(
  "Gripper",
  "high",
  "monthly",
  "Schmalz: FXP | Piab: Kenos KVG",
  { vacuum_mbar: [-600, -650] },
  { "Gripper valve": solenoid },
);
const discStack = part("Disc stack", "high", "semi-annual", "GEA: 60° | Tetra Pak: 50° | Alfa Laval: 55° | SPX FLOW: 55°", {
  spacing_mm: [0.4, 0.5, 0.5, 0.4],
});
const bowl = part(
  "Bowl",
  "critical",
  "semi-annual",
  "GEA: MSE bowl | Tetra Pak: C7 bowl | Alfa Laval: Clara bowl | SPX FLOW: SE bowl",
  { material: "1.4462", discs: [132, 140, 118, 126] },
  { "Disc stack": discStack, "Bowl seal": lipSeal, "Spindle bearing ×2": bearing },
);
const flameDetector = part("Flame detector", "critical", "quarterly", "Durag: D-LX 100 | Siemens: QRA53", { response_s: [1, 1] });
const burner = part(
  "Burner",
  "critical",
  "quarterly",
  "Weishaupt: WM-G20 | Saacke: TEMINOX GL | Dreizler: M 5001",
  { turndown: ["1:8", "1:7", "1:10"] },
  { "Combustion air fan": fan, "Gas valve": controlValve, "Flame detector": flameDetector },
);
const platePack = part(
  "Plate pack",
  "high",
  "annual",
  "Alfa Laval: Clip 8 | GEA: VT40 | Kelvion: OptiWave | SPX FLOW: EnergySaver",
  { material: "1.4404", plate_mm: [0.5, 0.6, 0.6, 0.5] },
  { "Plate gaskets": gasket },
);
const cappingHead = part("Capping head", "high", "monthly", "Arol: Equatorque | Zalkin: Pirate", { torque_nm: [1.8, 2.1] });
const fillingValve = part(
  "Filling valve",
  "high",
  "monthly",
  "Krones: VODM-PET | KHS: DRV-S | Sidel: EF-V | GEA: FCX-V",
  { fill_rate_ml_s: [120, 140, 115, 160] },
  { "Valve seal": lipSeal },
);
const conveyorBelt = part("Belt", "high", "monthly", "Habasit: HabasitLINK M2540 | Ammeraal Beltech: Ropanyl EM | Intralox: S800", {
  thickness_mm: [14.5, 2.1, 15.2],
});
const driveDrum = part(
  "Drum",
  "high",
  "semi-annual",
  "Rulmeca: 220H | Interroll: DL 0113",
  { diameter_mm: [220, 113] },
  { "Drum bearing": rollerBearing },
);
const maleRotor = part(
  "Rotor",
  "critical",
  "annual",
  "Kaeser: SIGMA | Atlas Copco: OIS 90 | Boge: effilence | Ingersoll Rand: R-55",
  { lobes: [5, 4, 4, 4] },
  { "Rotor bearing": rollerBearing },
);
const agitatorShaft = part(
  "Shaft",
  "high",
  "annual",
  "EKATO: Viscoprop | Stelzer: PV 2 | Pfaudler: Cryo-Lock",
  { length_mm: [2400, 1900, 3100] },
  { "Shaft seal": mechanicalSeal },
);
const pumpShaft = part(
  "Shaft",
  "high",
  "annual",
  "KSB: WS 35 | Grundfos: NK 32 | Alfa Laval: LKH stub | Sulzer: CPT 40",
  { diameter_mm: [35, 32, 38, 40] },
  { Impeller: impeller, "Mechanical seal": mechanicalSeal, "Shaft bearing": rollerBearing },
);

export const assetTypes: readonly AssetType[] = [
  {
    type: "Pump",
    tag: "P",
    perForty: 7,
    category: "Rotating equipment",
    criticality: "high",
    serviceDays: 180,
    description: "Single-stage centrifugal pump with mechanical seal",
    columns: "power_kw | flow_m3h | head_m | material",
    fields: { voltage: "400 V", connection: "flanged PN 16" },
    rows: [
      "KSB: Etanorm 065-050-160 | 7.5 | 45 | 32 | 1.4408",
      "KSB: MegaCPK 080-050-200 | 15 | 85 | 48 | 1.4517",
      "Grundfos: NK 65-200 | 11 | 70 | 38 | 1.4408",
      "Alfa Laval: LKH-25 | 7.5 | 50 | 34 | 1.4404",
      "Sulzer: CPT 32-160 | 5.5 | 28 | 30 | 1.4462",
    ],
    where: {
      syrup: "Syrup Transfer Pump, Blend Pump",
      tanks: "Loading Pump, Solvent Pump",
      intake: "Raw Milk Pump",
      filling: "Product Feed Pump, Rinse Water Pump",
      reactor: "Feed Pump, Reflux Pump",
      effluent: "Lift Pump, Sludge Pump",
      pasteur: "Booster Pump",
      boiler: "Feedwater Pump",
      energy: "Cooling Water Pump",
    },
    parts: {
      "Drive train": driveTrain,
      "Wet end": group("Pump end", "high", "Impeller on a sealed shaft", { "Pump shaft": pumpShaft, "Casing gasket": gasket }),
    },
  },
  {
    type: "Reactor",
    tag: "R",
    perForty: 2,
    category: "Process vessel",
    criticality: "critical",
    serviceDays: 180,
    description: "Jacketed stirred vessel with top-entry agitator",
    columns: "volume_m3 | design_bar | material | power_kw",
    fields: { voltage: "400 V", jacket: "half-pipe, steam and glycol", atex_zone: "1" },
    rows: [
      "De Dietrich: BE 6300 | 6.3 | 6 | glass-lined steel | 11",
      "Pfaudler: CE 10000 | 10 | 6 | glass-lined steel | 18.5",
      "GEA: BATCH-MIX 4000 | 4 | 3 | 1.4404 | 7.5",
      "EKATO: SOLIDMIX 5000 | 5 | 4 | 1.4571 | 15",
    ],
    where: {
      reactor: "Polymer Reactor, Neutralisation Reactor, Hydrolysis Reactor",
      syrup: "Sugar Dissolver, Blending Vessel",
      effluent: "Flocculation Reactor",
    },
    parts: {
      Agitator: group("Agitator", "critical", "Top-entry agitator with geared drive", {
        "Agitator drive": gearDrive,
        "Agitator shaft": agitatorShaft,
      }),
      "Vessel body": { ...shell, parts: { "Manhole gasket": gasket, "Safety valve": safetyValve } },
      "Jacket control valve": controlValve,
      "Batch temperature": temperature,
      "Head pressure": pressure,
    },
  },
  {
    type: "Compressor",
    tag: "K",
    perForty: 2,
    category: "Utilities",
    criticality: "critical",
    serviceDays: 90,
    description: "Oil-injected screw compressor for plant air",
    columns: "power_kw | flow_m3min | pressure_bar | cooling",
    fields: { voltage: "400 V", air_class: "ISO 8573-1 [1:4:1]" },
    rows: [
      "Kaeser: CSD 125 | 75 | 12.0 | 8.5 | air",
      "Atlas Copco: GA 90 VSD+ | 90 | 16.8 | 8 | air",
      "Boge: S 101-4 | 75 | 12.5 | 8 | water",
      "Ingersoll Rand: RS55i | 55 | 9.6 | 7.5 | air",
    ],
    where: { energy: "Air Compressor", boiler: "Air Compressor", drying: "Conveying Air Compressor", effluent: "Aeration Compressor" },
    parts: {
      "Main drive": driveTrain,
      "Air end": group("Air end", "critical", "Screw element", { "Male rotor": maleRotor, "Shaft seal": lipSeal }),
      "Oil circuit": group("Lubrication", "high", "Separation, filtration and cooling of the oil", {
        "Oil filter": oilFilter,
        "Oil cooler": coil,
      }),
      "Intake filter": airFilter,
      Controller: plc,
      "Outlet pressure": pressure,
    },
  },
  {
    type: "Conveyor",
    tag: "CV",
    perForty: 4,
    category: "Material handling",
    criticality: "medium",
    serviceDays: 90,
    description: "Belt conveyor with geared head drive",
    columns: "length_m | width_mm | speed_m_min",
    fields: { voltage: "400 V", guard: "fixed, interlocked" },
    rows: [
      "Interroll: SCP 600 | 12 | 600 | 24",
      "Krones: SynCo | 30 | 450 | 40",
      "Dorner: AquaGard 7350 | 8 | 300 | 30",
      "Siemens Logistics: Vario LC | 18 | 800 | 35",
    ],
    where: {
      packing: "Case Conveyor, Pallet Conveyor, Tray Conveyor",
      filling: "Bottle Conveyor, Cap Conveyor",
      cold: "Crate Conveyor",
      drying: "Bag Conveyor, Powder Conveyor",
    },
    parts: {
      "Head station": group("Drive", "high", "Driven end of the conveyor", {
        "Gear motor": smallMotor,
        "Drive gearbox": gearbox,
        "Drive drum": driveDrum,
      }),
      "Conveyor belt": conveyorBelt,
      "Return roller ×2": idler,
      "Jam sensor": photoEye,
    },
  },
  {
    type: "Filler",
    tag: "FM",
    perForty: 1,
    category: "Packaging machine",
    criticality: "critical",
    serviceDays: 30,
    description: "Rotary filling and capping machine",
    columns: "output_per_h | format | connected_load_kw",
    fields: { voltage: "400 V", hygiene_class: "ultra clean" },
    rows: [
      "Krones: Modulfill VFS-M | 36000 | PET 0.5–1.5 l | 22",
      "KHS: Innofill PET DRV | 42000 | PET 0.33–2 l | 26",
      "Sidel: EvoFILL | 28000 | PET 0.5–2 l | 19",
      "GEA: Fillstar CX | 24000 | PET 0.25–1.5 l | 17",
    ],
    where: { filling: "Bottle Filler, Water Filler", pasteur: "Milk Filler" },
    parts: {
      Carousel: group("Carousel", "critical", "Rotating filling table", {
        "Carousel drive": axis,
        "Filling valve ×6": fillingValve,
        "Product bowl": { ...shell, parts: { "Bowl level": level } },
      }),
      Capper: group("Capper", "high", "Rotary capping turret", { "Capper drive": axis, "Capping head ×2": cappingHead }),
      "Product flow": flow,
      Controller: plc,
    },
  },
  {
    type: "Heat Exchanger",
    tag: "E",
    perForty: 4,
    category: "Heat transfer",
    criticality: "high",
    serviceDays: 365,
    description: "Gasketed plate heat exchanger with regulated service side",
    columns: "area_m2 | duty_kw | plates | material",
    fields: { design_bar: "10", design_c: "150" },
    rows: [
      "Alfa Laval: FrontLine 8 | 38 | 640 | 121 | 1.4404",
      "GEA: VARITHERM 40 | 27 | 420 | 95 | 1.4404",
      "Kelvion: NT 100X | 55 | 900 | 140 | titanium",
      "SPX FLOW: APV N35 | 44 | 710 | 127 | 1.4547",
    ],
    where: {
      pasteur: "Milk Pasteuriser, Cream Cooler, Regenerator",
      boiler: "Condensate Cooler",
      syrup: "Syrup Cooler",
      reactor: "Jacket Cooler, Overhead Condenser",
      energy: "Heat Recovery Exchanger",
      tanks: "Product Heater",
    },
    parts: {
      "Plate pack": platePack,
      "Service side valve": controlValve,
      "Inlet temperature": temperature,
      "Outlet temperature": temperature,
      "Drain valve": processValve,
    },
  },
  {
    type: "Tank",
    tag: "T",
    perForty: 4,
    category: "Process vessel",
    criticality: "medium",
    serviceDays: 365,
    description: "Vertical storage tank with remote-operated valves",
    columns: "volume_m3 | diameter_m | material",
    fields: { design_c: "95", insulation: "mineral wool 100 mm" },
    rows: [
      "Ziemann Holvrieka: VT-60 | 60 | 3.6 | 1.4404",
      "Gpi: Silo 100 | 100 | 4 | 1.4301",
      "Gresham: Storage 40 | 40 | 3 | 1.4404",
      "Speidel: ZT 30 | 30 | 2.8 | 1.4404",
    ],
    where: {
      tanks: "Solvent Tank, Acid Tank, Monomer Tank",
      cold: "Chilled Milk Tank, Cream Tank",
      intake: "Raw Milk Silo",
      effluent: "Equalisation Tank, Sludge Tank",
      syrup: "Syrup Tank",
    },
    parts: {
      "Tank body": { ...shell, parts: { "Manway gasket": gasket, "Relief valve": safetyValve } },
      "Inlet valve": processValve,
      "Dosing line": group("Pipework", "medium", "Regulated inlet line", { "Line valve": controlValve, "Line flow": flow }),
      "Tank level": level,
      "Tank temperature": temperature,
    },
  },
  {
    type: "Boiler",
    tag: "B",
    perForty: 1,
    category: "Utilities",
    criticality: "critical",
    serviceDays: 30,
    description: "Three-pass shell boiler for saturated steam",
    columns: "steam_t_h | pressure_bar | fuel",
    fields: { inspection: "annual, notified body" },
    rows: [
      "Bosch: UL-S 6000 | 6 | 10 | natural gas",
      "Viessmann: Vitomax HS 5 | 5 | 13 | natural gas",
      "Babcock Wanson: BWR 80 | 8 | 12 | gas and oil",
      "Cochran: ST25 | 2 | 10 | natural gas",
    ],
    where: { boiler: "Steam Boiler", energy: "Steam Boiler" },
    parts: {
      Burner: burner,
      "Pressure body": {
        ...shell,
        specs: { material: "P265GH", wall_mm: 14 },
        parts: { "Safety valve ×2": safetyValve, "Inspection gasket": gasket },
      },
      "Feedwater set": group("Pump set", "critical", "Feedwater pump with seal and motor", {
        "Feedwater motor": smallMotor,
        "Feedwater impeller": impeller,
        "Feedwater seal": mechanicalSeal,
      }),
      "Steam pressure": pressure,
      "Drum level": level,
      "Steam flow": flow,
      Controller: plc,
    },
  },
  {
    type: "Chiller",
    tag: "CH",
    perForty: 2,
    category: "Utilities",
    criticality: "critical",
    serviceDays: 90,
    description: "Packaged liquid chiller with screw compressor",
    columns: "cooling_kw | power_kw | refrigerant",
    fields: { voltage: "400 V", leak_check: "every 3 months" },
    rows: [
      "GEA: BluAstrum 800 | 800 | 160 | R717",
      "Johnson Controls: YVWA 600 | 620 | 132 | R513A",
      "Carrier: AquaForce 30XW | 510 | 110 | R1234ze",
      "Trane: RTWF 290 | 290 | 75 | R134a",
    ],
    where: { cold: "Glycol Chiller, Ice Water Chiller", energy: "Process Chiller", reactor: "Brine Chiller" },
    parts: {
      "Compressor unit": group("Compressor", "critical", "Semi-hermetic screw compressor", { Drive: driveTrain, "Oil filter": oilFilter }),
      Evaporator: coil,
      "Condenser section": group("Condenser", "high", "Air-cooled condenser", { "Condenser coil": coil, "Condenser fan": fan }),
      "Expansion valve": controlValve,
      "Suction pressure": pressure,
      Controller: plc,
    },
  },
  {
    type: "Separator",
    tag: "S",
    perForty: 2,
    category: "Rotating equipment",
    criticality: "high",
    serviceDays: 90,
    description: "Self-cleaning disc-stack centrifuge",
    columns: "capacity_l_h | bowl_rpm | power_kw",
    fields: { voltage: "400 V", discharge: "partial, timed" },
    rows: [
      "GEA: MSE 180 | 18000 | 5000 | 22",
      "Tetra Pak: C714 | 25000 | 4800 | 30",
      "Alfa Laval: Clara 450 | 15000 | 6000 | 18.5",
      "SPX FLOW: Seital SE 55 | 20000 | 5200 | 22",
    ],
    where: { intake: "Milk Clarifier, Cream Separator", effluent: "Sludge Centrifuge", drying: "Catalyst Separator" },
    parts: {
      Drive: group("Drive", "high", "Motor with flat-belt transmission", { Motor: motor, "Drive belt": vBelt }),
      Bowl: bowl,
      "Feed valve": controlValve,
      "Feed flow": flow,
    },
  },
  {
    type: "Palletiser",
    tag: "PZ",
    perForty: 1,
    category: "Packaging machine",
    criticality: "high",
    serviceDays: 90,
    description: "Gantry palletiser with vacuum gripper",
    columns: "cycles_per_h | payload_kg | connected_load_kw",
    fields: { voltage: "400 V", pallet: "EUR 1200 × 800" },
    rows: ["Krones: Modulpal Pro | 500 | 220 | 28", "KHS: Innopal PB N | 420 | 250 | 24", "Columbia: FL6200 | 380 | 180 | 21"],
    where: { packing: "Palletiser", cold: "Crate Palletiser", drying: "Bag Palletiser" },
    parts: {
      Gantry: group("Gantry", "high", "Portal with three servo axes", { "Travel axis": axis, "Lift axis": axis, "Turn axis": axis }),
      Gripper: gripper,
      "Light curtain": lightCurtain,
      Controller: plc,
    },
  },
  {
    type: "Air Handler",
    tag: "AHU",
    perForty: 3,
    category: "Building services",
    criticality: "low",
    serviceDays: 180,
    description: "Air handling unit with heating and cooling coil",
    columns: "flow_m3h | heating_kw | cooling_kw",
    fields: { voltage: "400 V", heat_recovery: "rotary wheel" },
    rows: [
      "Trox: X-CUBE 12 | 12000 | 85 | 60",
      "Systemair: Geniox 18 | 18000 | 120 | 95",
      "Swegon: GOLD RX 30 | 9000 | 55 | 40",
      "Daikin: D-AHU Modular | 15000 | 100 | 80",
    ],
    where: {
      packing: "Hall Ventilation",
      cold: "Dock Air Curtain Unit",
      filling: "Clean Room Unit",
      drying: "Dust-free Room Unit",
      pasteur: "Process Room Unit",
      reactor: "Hall Ventilation",
    },
    parts: {
      "Supply fan": fan,
      "Supply filter": airFilter,
      "Heating section": group("Heating section", "medium", "Hot-water coil with regulating valve", {
        "Heating coil": coil,
        "Heating valve": controlValve,
      }),
      "Supply temperature": temperature,
    },
  },
  {
    type: "Dosing Unit",
    tag: "DU",
    perForty: 3,
    category: "Rotating equipment",
    criticality: "medium",
    serviceDays: 90,
    description: "Diaphragm metering pump with injection line",
    columns: "flow_l_h | pressure_bar | head_material",
    fields: { voltage: "230 V", containment: "double-walled" },
    rows: [
      "ProMinent: Sigma X S2Ca | 350 | 4 | PVDF",
      "Grundfos: SMART DDE 60 | 60 | 10 | PVC",
      "Lewa: ecoflow LDC | 180 | 40 | 1.4571",
      "Seko: Kompact AMM | 120 | 6 | polypropylene",
    ],
    where: {
      effluent: "pH Dosing Unit, Flocculant Dosing Unit",
      intake: "Caustic Dosing Unit",
      boiler: "Water Treatment Dosing Unit",
      reactor: "Catalyst Dosing Unit",
      tanks: "Inhibitor Dosing Unit",
      filling: "Disinfectant Dosing Unit",
    },
    parts: {
      "Pump head": group("Pump head", "high", "Wetted end of the metering pump", {
        Diaphragm: diaphragm,
        "Suction valve": processValve,
        "Discharge valve": processValve,
      }),
      "Stroke drive": smallMotor,
      "Relief valve": safetyValve,
      "Dosing flow": flow,
    },
  },
  {
    type: "Dryer",
    tag: "D",
    perForty: 1,
    category: "Heat transfer",
    criticality: "critical",
    serviceDays: 90,
    description: "Spray dryer with rotary atomiser and bag filter",
    columns: "evaporation_kg_h | inlet_c | outlet_c",
    fields: { voltage: "400 V", atex_zone: "20" },
    rows: [
      "GEA: Production Minor | 300 | 190 | 85",
      "SPX FLOW: Anhydro MicraSpray 400 | 400 | 200 | 90",
      "Tetra Pak: Spray Dryer W | 650 | 185 | 82",
    ],
    where: { drying: "Spray Dryer", pasteur: "Whey Powder Dryer" },
    parts: {
      Atomiser: group("Atomiser", "critical", "High-speed rotary atomiser", { "Atomiser drive": driveTrain, "Spindle bearing": bearing }),
      "Drying chamber": { ...shell, parts: { "Door gasket": gasket, "Explosion vent": explosionVent } },
      "Air supply": group("Air supply", "high", "Filtered and heated process air", {
        "Supply fan": fan,
        "Supply filter": airFilter,
        "Air heater": coil,
        "Steam valve": controlValve,
      }),
      "Outlet temperature": temperature,
      "Chamber pressure": pressure,
      Controller: plc,
    },
  },
  {
    type: "Switchgear",
    tag: "MCC",
    perForty: 3,
    category: "Electrical",
    criticality: "critical",
    serviceDays: 365,
    description: "Motor control centre feeding the drives of the area",
    columns: "rated_a | short_circuit_ka | form",
    fields: { voltage: "400 V", enclosure: "IP54" },
    rows: [
      "Siemens: SIVACON S8 | 1600 | 65 | 4b",
      "ABB: MNS 3.0 | 1250 | 50 | 4b",
      "Schneider Electric: Okken | 1600 | 65 | 4a",
      "Eaton: xEnergy | 1000 | 50 | 3b",
    ],
    where: {
      energy: "Main Switchboard",
      tanks: "Motor Control Centre",
      packing: "Motor Control Centre",
      boiler: "Motor Control Centre",
      filling: "Motor Control Centre",
      intake: "Motor Control Centre",
      reactor: "Motor Control Centre",
      syrup: "Motor Control Centre",
      cold: "Motor Control Centre",
      effluent: "Motor Control Centre",
      drying: "Motor Control Centre",
      pasteur: "Motor Control Centre",
    },
    parts: {
      "Incoming section": group("Switchgear section", "critical", "Incomer with protection", { "Incoming breaker": breaker }),
      "Feeder section": group("Switchgear section", "high", "Withdrawable motor feeders", { "Feeder contactor ×4": contactor }),
      "Section cooling filter": airFilter,
    },
  },
];
