/*
 * A REST client of the maintenance gateway for Java 17, without libraries:
 *
 *   java examples/GatewayClient.java http://127.0.0.1:4000 "$KEY"
 *
 * It lists assets, creates one, reads an error, sends a write again with its Idempotency-Key, and updates with If-Match.
 */
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public class GatewayClient {
    /** An answer that is no success. `code` is for programs, `requestId` for the operator. */
    public static class GatewayException extends IOException {
        private static final long serialVersionUID = 1;

        public final int status;
        public final String code;
        public final String requestId;

        GatewayException(HttpResponse<String> response) {
            super(response.statusCode() + " " + field(response.body(), "error"));
            status = response.statusCode();
            code = field(response.body(), "code");
            requestId = field(response.body(), "requestId");
        }
    }

    private static final int ATTEMPTS = 4;

    // Without a version HTTP/2 is preferred: over plain HTTP the first request then says "Upgrade: h2c", which the gateway answers over HTTP/1.1.
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    private final URI base;
    private final String key;

    public GatewayClient(String base, String key) {
        this.base = URI.create(base);
        this.key = key;
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    /** Safe to repeat: the gateway does a write with one Idempotency-Key once, and answers again what it answered first. */
    public HttpResponse<String> post(String path, String json, String idempotencyKey) throws IOException, InterruptedException {
        return send(request(path).header("Idempotency-Key", idempotencyKey).POST(BodyPublishers.ofString(json)));
    }

    /** Done only while the record is at the version of the ETag. */
    public HttpResponse<String> put(String path, String json, String etag) throws IOException, InterruptedException {
        return send(request(path).header("If-Match", etag).PUT(BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve(path))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer " + key)
            .header("Accept", "application/json")
            .header("Content-Type", "application/json");
    }

    /** Sends again what was not answered, was too much (429) or met a service that was not ready (503), after the time that it names. */
    private HttpResponse<String> send(HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.build();
        for (int attempt = 1; ; attempt++) {
            long wait = 1000L * attempt;
            try {
                HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
                int status = response.statusCode();
                if (status < 300) return response;
                if ((status != 429 && status != 503) || attempt == ATTEMPTS) throw new GatewayException(response);
                wait = response.headers().firstValueAsLong("Retry-After").orElse(1) * 1000;
            } catch (GatewayException refused) {
                throw refused;
            } catch (IOException unanswered) {
                if (attempt == ATTEMPTS) throw unanswered;
            }
            Thread.sleep(wait);
        }
    }

    /** The first text field of that name. A program of more than an example reads JSON with a library. */
    static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    static String etag(HttpResponse<String> response) {
        return response.headers().firstValue("ETag").orElseThrow();
    }

    public static void main(String[] arguments) throws Exception {
        GatewayClient gateway = new GatewayClient(arguments[0], arguments[1]);

        HttpResponse<String> list = gateway.get("/assets?limit=3&type=pump");
        System.out.println("listed " + list.statusCode() + " " + list.version());

        String intent = UUID.randomUUID().toString();
        String pump = "{\"name\":\"Feed pump A\",\"type\":\"pump\",\"serialNumber\":\"" + intent.substring(0, 8) + "\"}";
        String created = field(gateway.post("/assets", pump, intent).body(), "id");
        HttpResponse<String> again = gateway.post("/assets", pump, intent);
        boolean isReplayed = again.headers().firstValue("Idempotent-Replayed").isPresent();
        System.out.println("created once: " + (isReplayed && created.equals(field(again.body(), "id"))));

        try {
            gateway.post("/assets", "{\"type\":\"pump\"}", UUID.randomUUID().toString());
        } catch (GatewayException refused) {
            System.out.println("refused " + refused.status + " " + refused.code + " " + (refused.requestId.isEmpty() ? "without id" : "with id"));
        }

        String path = "/assets/" + created;
        String tag = etag(gateway.get(path));
        HttpResponse<String> updated = gateway.put(path, "{\"status\":\"maintenance\"}", tag);
        System.out.println("updated " + field(updated.body(), "status"));
        try {
            gateway.put(path, "{\"status\":\"offline\"}", tag);
        } catch (GatewayException stale) {
            System.out.println("stale " + stale.status + " " + stale.code);
        }
        System.out.println("now " + field(gateway.get(path).body(), "status"));
    }
}
