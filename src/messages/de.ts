/** German texts of mails and public pages. */
import type { Messages } from "./en.js";

export const de: Messages = {
  mail: {
    subject: (title) => `Ihnen zugewiesen: ${title}`,
    greeting: (name) => `Guten Tag ${name},`,
    assigned: "Ihnen wurde ein Auftrag zugewiesen:",
    asset: (asset) => `Anlage: ${asset}`,
    priority: (priority) => `Priorität: ${priority}`,
    planned: (time) => `Geplant: ${time}`,
    number: (id) => `Nummer: ${id}`,
    priorities: { low: "niedrig", medium: "mittel", high: "hoch", critical: "kritisch" },
  },
  form: {
    title: "Störung melden",
    find: "Maschine suchen",
    search: "Suchen",
    machine: "Maschine",
    choose: "Auswählen …",
    more: "Nicht alle Maschinen sind aufgeführt. Suchen Sie Ihre Maschine oben.",
    description: "Was ist defekt?",
    name: "Ihr Name (optional)",
    stopped: "Die Produktion steht",
    submit: "Störung melden",
    noMachine: "Wählen Sie eine Maschine aus.",
    otherMachine: "Wählen Sie eine Maschine aus der Liste aus.",
    noDescription: "Beschreiben Sie die Störung.",
    tooLong: (characters) => `Verwenden Sie höchstens ${characters} Zeichen.`,
    photos: (most) => `Fotos (optional, höchstens ${most})`,
    tooManyPhotos: (most) => `Verwenden Sie höchstens ${most} Fotos. Wählen Sie sie erneut aus.`,
    badPhoto: (megabytes) =>
      `Verwenden Sie Fotos im Format JPG, PNG, GIF oder WebP mit höchstens ${megabytes} MB. Wählen Sie sie erneut aus.`,
    photosAgain: "Wählen Sie die Fotos erneut aus.",
  },
  status: {
    title: "Ihre Meldung",
    received: "Eingegangen",
    accepted: "Angenommen",
    declined: "Abgelehnt",
    withdrawn: "Zurückgezogen",
    done: "Erledigt",
    cancelled: "Storniert",
    undecided: "Die Instandhaltung hat noch nicht entschieden.",
    reason: (reason) => `Begründung: ${reason}`,
    planned: (day) => `Die Arbeit ist für den ${day} geplant.`,
    begun: "Die Arbeit hat begonnen.",
    interrupted: "Die Arbeit hat begonnen und ist unterbrochen.",
    completed: (day) => `Die Arbeit wurde am ${day} abgeschlossen.`,
    notDone: "Die Arbeit wird nicht ausgeführt.",
    reported: (day) => `Gemeldet am ${day}. Bewahren Sie die Adresse dieser Seite auf, um Ihre Meldung zu verfolgen.`,
  },
  refusal: {
    unreadable: { title: "Das Formular konnte nicht gelesen werden", text: "Gehen Sie zurück und versuchen Sie es erneut." },
    notFound: { title: "Seite nicht gefunden", text: "Diese Adresse ist ungültig oder nicht mehr gültig." },
    tooLong: {
      title: "Die Meldung ist zu lang",
      text: (characters) => `Gehen Sie zurück und verwenden Sie höchstens ${characters} Zeichen.`,
    },
    tooMany: {
      title: "Zu viele Meldungen",
      text: "Versuchen Sie es später erneut. Wenn es dringend ist, sagen Sie der Instandhaltung direkt Bescheid.",
    },
    busy: {
      title: "Der Dienst ist ausgelastet",
      text: "Gehen Sie zurück und versuchen Sie es in einer Minute erneut. Wenn es dringend ist, sagen Sie der Instandhaltung direkt Bescheid.",
    },
    failed: {
      title: "Die Meldung konnte nicht gespeichert werden",
      text: "Versuchen Sie es später erneut. Wenn es dringend ist, sagen Sie der Instandhaltung direkt Bescheid.",
    },
  },
};
