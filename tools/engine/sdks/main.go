// Writes the SDKs for Python and Go of the plugin's schema, as `pulumi package gen-sdk` does where the hosts of these languages are:
// the same code of Pulumi's, which the module of the CLI has anyway.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	pygen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: sdks <schema.json> <folder>")
	}
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	write("python", func(pkg *schema.Package) (map[string][]byte, error) {
		return pygen.GeneratePackage("pulumi", pkg, nil, nil)
	}, text)
	write("go", func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage("pulumi", pkg, nil)
	}, text)
}

func write(language string, generate func(*schema.Package) (map[string][]byte, error), text []byte) {
	var spec schema.PackageSpec
	fail(json.Unmarshal(text, &spec))
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	fail(err)
	if diagnostics.HasErrors() {
		fail(diagnostics)
	}
	files, err := generate(pkg)
	fail(err)
	for name, content := range files {
		file := filepath.Join(os.Args[2], language, name)
		fail(os.MkdirAll(filepath.Dir(file), 0o755))
		fail(os.WriteFile(file, content, 0o644))
	}
}

func fail(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
