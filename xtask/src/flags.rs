//! The command line.

xflags::xflags! {
    /// Tasks of the kubehash project.
    cmd xtask {
        /// Run the real Go code of Kubernetes releases over the corpus and write golden/.
        ///
        /// Needs Go 1.21 or newer and a module proxy. A release takes two to five minutes the
        /// first time; one whose inputs have not changed is left alone.
        ///
        /// Exit codes: 0 done (with --check: no difference), 1 error or difference,
        /// 2 wrong usage, 3 Go or the module proxy is not available.
        cmd regen-golden {
            /// Which releases: v1.30.14, or 1.30 for the pinned patch of that minor.
            repeated releases: String
            /// All pinned releases.
            optional --all
            /// Change nothing in golden/; fail if what would be written differs. A release without
            /// vectors of its own is compared with those that speak for it.
            optional --check
            /// Build this many releases that others speak for, spread over the minors, and compare
            /// their answers; golden/audit.jsonl keeps what came out.
            optional --audit count: usize
            /// Which ones: another number, others (1 where none is given).
            optional --seed seed: u64
            /// Keep the directory in which a reference is built.
            optional --keep
        }
        /// Build the reference of one release and print its path: a program that answers
        /// conformance requests with the real Go code. Exit codes as for regen-golden.
        cmd build-reference {
            /// Which release: v1.30.14, or 1.30 for the pinned patch of that minor.
            required release: String
            /// Optimise as Kubernetes itself does; for measurements.
            optional --optimised
        }

        /// Say how many releases are known and pinned.
        ///
        /// Exit codes: 0 done, 1 a pinned release can no longer be had, 2 wrong usage, 3 Go or the
        /// module proxy is not available. A release that is not known yet is told, and no error.
        cmd releases {
            /// Ask the module proxy for newer releases, and whether it still has the pinned ones.
            optional --check
        }

        /// Add releases that Kubernetes published: to src/catalogue/releases.txt, to the pins, to the
        /// classes; make vectors where the class is new; bring the documents up to date.
        ///
        /// Exit codes: 0 done, 1 error, 2 wrong usage, 3 Go or the module proxy is not available.
        cmd add-release {
            /// Which releases: v1.38.0.
            repeated releases: String
            /// Make vectors even where others speak for the release.
            optional --vectors
        }

        /// Find out what a release is built with, and write its line of go-ref/releases.jsonl: the
        /// toolchain it was shipped with, what cannot be had of it and what stands in.
        ///
        /// Exit codes: 0 done, 1 error, 2 wrong usage, 3 Go or the module proxy is not available.
        cmd pin {
            /// Which releases: v1.30.14.
            repeated releases: String
            /// All of src/catalogue/releases.txt that have no line yet.
            optional --all
        }

        /// Find out which releases consist of the same code, as far as a question goes, and write
        /// golden/classes.jsonl and golden/changes.jsonl. Sources are fetched, not built: ten
        /// seconds a release. One that is up to date is left alone.
        ///
        /// Exit codes: 0 done, 1 error, 2 wrong usage, 3 Go or the module proxy is not available.
        cmd classify {
            /// Which releases: v1.30.14.
            repeated releases: String
            /// All that can be had.
            optional --all
            /// Also those that are up to date.
            optional --force
        }

        /// Work out of what sources the GOPATH tree of a release before 1.16 is made, and write
        /// go-ref/gopath/<release>.json. The release is in go-ref/releases.jsonl already.
        ///
        /// Exit codes: 0 done, 1 error, 2 wrong usage, 3 Go or the module proxy is not available.
        cmd gopath-recipe {
            /// Which release: v1.9.11, or 1.9 for the pinned patch of that minor.
            required release: String
        }

        /// Measure which fields the corpus holds that JSON can reach from a Pod template: absent,
        /// empty and set, in objects that the release answers. A field counts once, and once at
        /// each place where it stands.
        ///
        /// Exit codes: 0 everything is there, 1 something is missing or an error, 2 wrong usage.
        cmd coverage {
            /// Which releases: v1.30.14 or 1.30; all that have vectors where none is named.
            repeated releases: String
            /// Name what is missing.
            optional --missing
            /// Let the engine say what a release answers: for cases that have no vectors yet.
            optional --engine
        }

        /// Write docs/releases.md, and the tables of README.md and DIFFERENCES.md.
        ///
        /// Exit codes: 0 done, 1 error, 2 wrong usage.
        cmd docs {}
    }
}
