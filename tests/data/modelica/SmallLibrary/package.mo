within ;
package SmallLibrary "Mechanics in the constructs of the Modelica Standard Library, for tests without it"
  annotation (version = "1.0.0");
end SmallLibrary;
